BEGIN TRANSACTION;
CREATE TABLE agent_state (
	app_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	blob BLOB NOT NULL, 
	PRIMARY KEY (app_id, chat_id, agent)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE audit (
	position INTEGER NOT NULL, 
	app_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	actor TEXT, 
	action TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	body TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (position)
);
INSERT INTO "audit" VALUES(1,'default','task:desk',1,1795364474519665,'in process','interaction.completed','01a2040f-ce76-7679-80bc-a9ff6307ea64','{"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","task_id":"desk","card":"options","title":"Which account?","ui_tool_id":"options","state":"completed","reason":null,"response":{"interaction_id":"01a2040f-ce76-7679-80bc-a9ff6307ea64","approved":true,"response_data":{"additional_notes":"savings","suggestions":[],"edits":{},"rejected_rows":{},"values":{}},"metadata":{}}}','sha256:ead845f5af719dfb4fee4adc0aae6e50f3f335a49e95e2e6b2fcbe57422d1058');
CREATE TABLE chat (
	app_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	search_title TEXT NOT NULL, 
	log_id TEXT NOT NULL, 
	last_seq BIGINT NOT NULL, 
	head TEXT NOT NULL, 
	audit_number BIGINT NOT NULL, 
	audit_hash TEXT NOT NULL, 
	created_by TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (app_id, id)
);
INSERT INTO "chat" VALUES('default','task:desk','agent','go','01a2040f-ce10-72bc-bdf6-121e65b33437',19,'{"id":"task:desk","app_id":"default","seq":19,"log_id":"01a2040f-ce10-72bc-bdf6-121e65b33437","agent":"agent","title":"go","created_at":"2026-11-22T16:21:14.384550+00:00","run":{"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","task_id":"desk","status":"waiting","since":"2026-11-22T16:21:14.535181+00:00","reason":null,"error":null},"progress":null,"requirements":null,"preferences":{}}',1,'sha256:ead845f5af719dfb4fee4adc0aae6e50f3f335a49e95e2e6b2fcbe57422d1058',NULL,1795364474384550,1795364474535181);
CREATE TABLE draft (
	app_id TEXT NOT NULL, 
	interaction_id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	content TEXT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (app_id, interaction_id, person)
);
CREATE TABLE effect (
	app_id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	chat_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tool_call_id TEXT, 
	tool_name TEXT NOT NULL, 
	arguments TEXT NOT NULL, 
	result TEXT, 
	error TEXT, 
	shown_digest TEXT, 
	executed_digest TEXT, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	PRIMARY KEY (app_id, run_id, "key", attempt)
)
 WITHOUT ROWID

;
CREATE TABLE event (
	app_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	type TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	"by" TEXT, 
	body TEXT NOT NULL, 
	PRIMARY KEY (app_id, chat_id, seq)
)
 WITHOUT ROWID

;
INSERT INTO "event" VALUES('default','task:desk',1,'chat.message',1795364474397303,NULL,'{"seq":1,"type":"chat.message","at":"2026-11-22T16:21:14.397303+00:00","data":{"message_id":"01a2040f-ce1d-7142-a760-46f8b35bc7e3","role":"user","content":"go","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","client_message_id":"desk","status":"complete","metadata":{}}}');
INSERT INTO "event" VALUES('default','task:desk',2,'chat.run',1795364474397303,NULL,'{"seq":2,"type":"chat.run","at":"2026-11-22T16:21:14.397303+00:00","data":{"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","task_id":"desk","status":"running"}}');
INSERT INTO "event" VALUES('default','task:desk',3,'chat.title',1795364474397303,NULL,'{"seq":3,"type":"chat.title","at":"2026-11-22T16:21:14.397303+00:00","data":{"title":"go"}}');
INSERT INTO "event" VALUES('default','task:desk',4,'chat.tool_call',1795364474417566,NULL,'{"seq":4,"type":"chat.tool_call","at":"2026-11-22T16:21:14.417566+00:00","data":{"tool_call_id":"b0feb378-859d-5fcb-a43b-fda144087a3a","name":"refund","arguments":{"order":7,"amount":5.5,"pin":"•••"},"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","agent_name":"agent"}}');
INSERT INTO "event" VALUES('default','task:desk',5,'chat.tool_call',1795364474460045,NULL,'{"seq":5,"type":"chat.tool_call","at":"2026-11-22T16:21:14.460045+00:00","data":{"tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","name":"buy","arguments":{"item":"lamp"},"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","agent_name":"agent"}}');
INSERT INTO "event" VALUES('default','task:desk',6,'chat.tool_result',1795364474466225,NULL,'{"seq":6,"type":"chat.tool_result","at":"2026-11-22T16:21:14.466225+00:00","data":{"tool_call_id":"b0feb378-859d-5fcb-a43b-fda144087a3a","status":"waiting"}}');
INSERT INTO "event" VALUES('default','task:desk',7,'chat.tool_result',1795364474468233,NULL,'{"seq":7,"type":"chat.tool_result","at":"2026-11-22T16:21:14.468233+00:00","data":{"tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","status":"waiting"}}');
INSERT INTO "event" VALUES('default','task:desk',8,'chat.ui_tool',1795364474480375,NULL,'{"seq":8,"type":"chat.ui_tool","at":"2026-11-22T16:21:14.480375+00:00","data":{"ui_tool_id":"approval","eventId":"01a2040f-ce70-7de9-88be-ed1eca3c592f","workflow_name":"agent","display":"inline","payload":{"title":"Refund","agent_message":"Refund","tool_name":"refund","tool_params":{"order":7,"amount":5.5,"pin":"•••"},"tool_description":"","entity_type":"","entity_summary":"Refund","entity_details":{"order":7,"amount":5.5,"pin":"•••"},"action":"","context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"order":{"title":"Order","type":"integer"},"amount":{"title":"Amount","type":"number"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"sayso":{"card":"approval","interaction_type":"tool_approval","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","tool_call_id":"b0feb378-859d-5fcb-a43b-fda144087a3a","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","digest":"sha256:f772fc33760a58121929b958e7bdd40a7edda6989cac85f66765bf5fd9ef55db","revision":1,"assignees":[]}}}}');
INSERT INTO "event" VALUES('default','task:desk',9,'chat.ui_tool',1795364474480375,NULL,'{"seq":9,"type":"chat.ui_tool","at":"2026-11-22T16:21:14.480375+00:00","data":{"ui_tool_id":"approval","eventId":"01a2040f-ce74-79f6-8126-c8b71a329ef1","workflow_name":"agent","display":"inline","payload":{"title":"Buy","agent_message":"Buy","tool_name":"buy","tool_params":{"item":"lamp"},"tool_description":"","entity_type":"","entity_summary":"Buy","entity_details":{"item":"lamp"},"action":"","impact":"costs 10","context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"item":{"title":"Item","type":"string"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"sayso":{"card":"approval","interaction_type":"tool_approval","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","digest":"sha256:463ff485a8beff5bc5cc40ac09e3f262b9afbb8bea207d828ba4a08690df550f","revision":1,"assignees":[]}}}}');
INSERT INTO "event" VALUES('default','task:desk',10,'chat.ui_tool',1795364474480375,NULL,'{"seq":10,"type":"chat.ui_tool","at":"2026-11-22T16:21:14.480375+00:00","data":{"ui_tool_id":"confirmation","eventId":"01a2040f-ce76-7c66-9013-37b00f04c081","workflow_name":"agent","display":"inline","payload":{"title":"Pay?","agent_message":"Pay?","details":[{"label":"Amount","value":1000}],"context":{},"approval_options":["approve","reject"],"requires_reason":false,"sayso":{"card":"confirmation","interaction_type":"confirmation","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","revision":1,"assignees":[]}}}}');
INSERT INTO "event" VALUES('default','task:desk',11,'chat.ui_tool',1795364474480375,NULL,'{"seq":11,"type":"chat.ui_tool","at":"2026-11-22T16:21:14.480375+00:00","data":{"ui_tool_id":"options","eventId":"01a2040f-ce76-7679-80bc-a9ff6307ea64","workflow_name":"agent","display":"inline","payload":{"title":"Which account?","agent_message":"Which account?","question":"Which account?","options":[],"context":{},"allow_notes":true,"sayso":{"card":"options","interaction_type":"user_input","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","revision":1,"assignees":[]}}}}');
INSERT INTO "event" VALUES('default','task:desk',12,'chat.ui_tool',1795364474480375,NULL,'{"seq":12,"type":"chat.ui_tool","at":"2026-11-22T16:21:14.480375+00:00","data":{"ui_tool_id":"options","eventId":"01a2040f-ce76-71a8-a4f0-d2fe6e9c7d45","workflow_name":"agent","display":"inline","payload":{"title":"Which colour?","agent_message":"Which colour?","question":"Which colour?","options":[],"context":{},"allow_notes":true,"sayso":{"card":"options","interaction_type":"user_input","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","revision":1,"assignees":[]}}}}');
INSERT INTO "event" VALUES('default','task:desk',13,'chat.run',1795364474480375,NULL,'{"seq":13,"type":"chat.run","at":"2026-11-22T16:21:14.480375+00:00","data":{"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","task_id":"desk","status":"waiting"}}');
INSERT INTO "event" VALUES('default','task:desk',14,'chat.ui_tool_complete',1795364474519665,'in process','{"seq":14,"type":"chat.ui_tool_complete","at":"2026-11-22T16:21:14.519665+00:00","by":"in process","data":{"eventId":"01a2040f-ce76-7679-80bc-a9ff6307ea64","ui_tool_id":"options","display":"inline","status":"completed","summary":"Which account? completed"}}');
INSERT INTO "event" VALUES('default','task:desk',15,'chat.run',1795364474519665,NULL,'{"seq":15,"type":"chat.run","at":"2026-11-22T16:21:14.519665+00:00","data":{"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","task_id":"desk","status":"running"}}');
INSERT INTO "event" VALUES('default','task:desk',16,'chat.tool_result',1795364474527470,NULL,'{"seq":16,"type":"chat.tool_result","at":"2026-11-22T16:21:14.527470+00:00","data":{"tool_call_id":"b0feb378-859d-5fcb-a43b-fda144087a3a","status":"waiting"}}');
INSERT INTO "event" VALUES('default','task:desk',17,'chat.tool_result',1795364474532002,NULL,'{"seq":17,"type":"chat.tool_result","at":"2026-11-22T16:21:14.532002+00:00","data":{"tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","status":"waiting"}}');
INSERT INTO "event" VALUES('default','task:desk',18,'chat.ui_tool',1795364474535181,NULL,'{"seq":18,"type":"chat.ui_tool","at":"2026-11-22T16:21:14.535181+00:00","data":{"ui_tool_id":"approval","eventId":"01a2040f-ce74-79f6-8126-c8b71a329ef1","workflow_name":"agent","display":"inline","payload":{"title":"Buy","agent_message":"Buy","tool_name":"buy","tool_params":{"item":"lamp"},"tool_description":"","entity_type":"","entity_summary":"Buy","entity_details":{"item":"lamp"},"action":"","impact":"costs 12","context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"item":{"title":"Item","type":"string"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"sayso":{"card":"approval","interaction_type":"tool_approval","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","digest":"sha256:0405527692943b75347b7d1a8ba68ea43b3c92ae4f7c8333398a834b0415c5be","revision":2,"assignees":[]}}}}');
INSERT INTO "event" VALUES('default','task:desk',19,'chat.run',1795364474535181,NULL,'{"seq":19,"type":"chat.run","at":"2026-11-22T16:21:14.535181+00:00","data":{"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","task_id":"desk","status":"waiting"}}');
CREATE TABLE interaction (
	app_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	task_id TEXT NOT NULL, 
	call_key TEXT NOT NULL, 
	batch_id TEXT NOT NULL, 
	type TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	card TEXT NOT NULL, 
	ui_tool_id TEXT NOT NULL, 
	agent_name TEXT NOT NULL, 
	display TEXT NOT NULL, 
	tool_call_id TEXT, 
	proposal TEXT, 
	assignees TEXT NOT NULL, 
	on_expiry TEXT NOT NULL, 
	expires_at BIGINT, 
	response TEXT, 
	answer_key TEXT, 
	created_at BIGINT NOT NULL, 
	opened_seq BIGINT NOT NULL, 
	settled_at BIGINT, 
	settled_by TEXT, 
	applied_fence BIGINT, tool_name TEXT, decision TEXT, search_text TEXT, 
	PRIMARY KEY (app_id, id)
);
INSERT INTO "interaction" VALUES('default','01a2040f-ce70-7de9-88be-ed1eca3c592f','task:desk','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','desk','gather:ef2d127de37b942b#0.0/call:0a349c0199c7284b#0','01a2040f-ce70-7d33-9393-d7f7fede7c1c','tool_approval','approval','pending','{"title":"Refund","agent_message":"Refund","card":"approval","message":null,"tool_name":"refund","tool_params":{"order":7,"amount":5.5,"pin":"•••"},"tool_description":"","entity_type":"","entity_summary":"Refund","entity_details":{"order":7,"amount":5.5,"pin":"•••"},"action":"","impact":null,"context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"order":{"title":"Order","type":"integer"},"amount":{"title":"Amount","type":"number"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"bulk":false}','approval','agent','inline','b0feb378-859d-5fcb-a43b-fda144087a3a','{"tool_name":"refund","arguments":{"order":7,"amount":5.5,"pin":"4711"},"summary":"","details":{},"rows":[],"impact":null,"warnings":[],"data":{},"revision":1}','[]','{"action":"reject","answer":null}',NULL,NULL,NULL,1795364474480375,8,NULL,NULL,NULL,'refund',NULL,'agent

approval
refund
refund
refund
7
5.5
•••


refund
7
5.5
•••
');
INSERT INTO "interaction" VALUES('default','01a2040f-ce74-79f6-8126-c8b71a329ef1','task:desk','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','desk','gather:ef2d127de37b942b#0.1/call:096ec503917deafa#0','01a2040f-ce70-7d33-9393-d7f7fede7c1c','tool_approval','approval','pending','{"title":"Buy","agent_message":"Buy","card":"approval","message":null,"tool_name":"buy","tool_params":{"item":"lamp"},"tool_description":"","entity_type":"","entity_summary":"Buy","entity_details":{"item":"lamp"},"action":"","impact":"costs 12","context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"item":{"title":"Item","type":"string"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"bulk":false}','approval','agent','inline','12b37118-7529-5e69-9360-2ef6956bcd21','{"tool_name":"buy","arguments":{"item":"lamp"},"summary":"","details":{},"rows":[],"impact":"costs 12","warnings":[],"data":{"price":12},"revision":2}','[]','{"action":"reject","answer":null}',NULL,NULL,NULL,1795364474480375,9,NULL,NULL,NULL,'buy',NULL,'agent

approval
buy
buy
buy
lamp


buy
lamp

costs 12');
INSERT INTO "interaction" VALUES('default','01a2040f-ce76-7c66-9013-37b00f04c081','task:desk','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','desk','gather:ef2d127de37b942b#0.2/confirm:368ce53bdfc850e4#0','01a2040f-ce70-7d33-9393-d7f7fede7c1c','confirmation','confirmation','pending','{"title":"Pay?","agent_message":"Pay?","card":"confirmation","message":null,"details":[{"label":"Amount","value":1000}],"impact":null,"context":{},"approval_options":["approve","reject"],"requires_reason":false}','confirmation','agent','inline',NULL,NULL,'[]','{"action":"reject","answer":null}',NULL,NULL,NULL,1795364474480375,10,NULL,NULL,NULL,NULL,NULL,'agent

confirmation
pay?
pay?
amount
1000');
INSERT INTO "interaction" VALUES('default','01a2040f-ce76-7679-80bc-a9ff6307ea64','task:desk','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','desk','gather:ef2d127de37b942b#0.3/ask:52b87c56846c6555#0','01a2040f-ce70-7d33-9393-d7f7fede7c1c','user_input','options','completed','{"title":"Which account?","agent_message":"Which account?","card":"options","question":"Which account?","options":[],"context":{},"allow_notes":true}','options','agent','inline',NULL,NULL,'[]','{"action":"reject","answer":null}',NULL,'{"interaction_id":"01a2040f-ce76-7679-80bc-a9ff6307ea64","approved":true,"response_data":{"selected_option":null,"additional_notes":"savings","suggestions":[],"edits":{},"approved_rows":null,"rejected_rows":{},"values":{}},"user_message":null,"metadata":{}}',NULL,1795364474480375,11,1795364474519665,'in process',2,NULL,'approve','agent
in process
options
which account?
which account?
which account?
savings');
INSERT INTO "interaction" VALUES('default','01a2040f-ce76-71a8-a4f0-d2fe6e9c7d45','task:desk','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','desk','gather:ef2d127de37b942b#0.4/ask:fe0b6ebf51d283e6#0','01a2040f-ce70-7d33-9393-d7f7fede7c1c','user_input','options','pending','{"title":"Which colour?","agent_message":"Which colour?","card":"options","question":"Which colour?","options":[],"context":{},"allow_notes":true}','options','agent','inline',NULL,NULL,'[]','{"action":"reject","answer":null}',NULL,NULL,NULL,1795364474480375,12,NULL,NULL,NULL,NULL,NULL,'agent

options
which colour?
which colour?
which colour?');
CREATE TABLE item (
	app_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	as_of BIGINT NOT NULL, 
	is_open BOOLEAN NOT NULL, 
	run_id TEXT, 
	search_text TEXT, 
	body TEXT NOT NULL, 
	PRIMARY KEY (app_id, chat_id, kind, id)
);
INSERT INTO "item" VALUES('default','task:desk','message','01a2040f-ce1d-7142-a760-46f8b35bc7e3',1,1,0,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58','go','{"kind":"message","event_id":"01a2040f-ce1d-7142-a760-46f8b35bc7e3","sequence":1,"as_of":1,"role":"user","agent_name":null,"content":"go","timestamp":"2026-11-22T16:21:14.397303+00:00","status":"complete","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","metadata":{}}');
INSERT INTO "item" VALUES('default','task:desk','tool_call','b0feb378-859d-5fcb-a43b-fda144087a3a',4,16,1,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58',NULL,'{"kind":"tool_call","tool_call_id":"b0feb378-859d-5fcb-a43b-fda144087a3a","sequence":4,"as_of":16,"name":"refund","arguments":{"order":7,"amount":5.5,"pin":"•••"},"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","agent_name":"agent","timestamp":"2026-11-22T16:21:14.417566+00:00","status":"waiting","result":null,"error":null,"finished_at":null,"ran_seconds":null,"asked_arguments":null,"ui":null}');
INSERT INTO "item" VALUES('default','task:desk','tool_call','12b37118-7529-5e69-9360-2ef6956bcd21',5,17,1,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58',NULL,'{"kind":"tool_call","tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","sequence":5,"as_of":17,"name":"buy","arguments":{"item":"lamp"},"run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","agent_name":"agent","timestamp":"2026-11-22T16:21:14.460045+00:00","status":"waiting","result":null,"error":null,"finished_at":null,"ran_seconds":null,"asked_arguments":null,"ui":null}');
INSERT INTO "item" VALUES('default','task:desk','message','01a2040f-ce70-7de9-88be-ed1eca3c592f',8,8,1,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58','refund','{"kind":"message","event_id":"01a2040f-ce70-7de9-88be-ed1eca3c592f","sequence":8,"as_of":8,"role":"assistant","agent_name":"agent","content":"Refund","timestamp":"2026-11-22T16:21:14.480375+00:00","status":"complete","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","metadata":{"ui_tool":{"ui_tool_id":"approval","event_id":"01a2040f-ce70-7de9-88be-ed1eca3c592f","display":"inline","ui_tool_completed":false,"ui_tool_status":"pending","payload":{"title":"Refund","agent_message":"Refund","tool_name":"refund","tool_params":{"order":7,"amount":5.5,"pin":"•••"},"tool_description":"","entity_type":"","entity_summary":"Refund","entity_details":{"order":7,"amount":5.5,"pin":"•••"},"action":"","context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"order":{"title":"Order","type":"integer"},"amount":{"title":"Amount","type":"number"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"sayso":{"card":"approval","interaction_type":"tool_approval","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","tool_call_id":"b0feb378-859d-5fcb-a43b-fda144087a3a","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","digest":"sha256:f772fc33760a58121929b958e7bdd40a7edda6989cac85f66765bf5fd9ef55db","revision":1,"assignees":[]}},"timestamp":"2026-11-22T16:21:14.480375+00:00"}}}');
INSERT INTO "item" VALUES('default','task:desk','message','01a2040f-ce74-79f6-8126-c8b71a329ef1',9,18,1,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58','buy','{"kind":"message","event_id":"01a2040f-ce74-79f6-8126-c8b71a329ef1","sequence":9,"as_of":18,"role":"assistant","agent_name":"agent","content":"Buy","timestamp":"2026-11-22T16:21:14.480375+00:00","status":"complete","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","metadata":{"ui_tool":{"ui_tool_id":"approval","event_id":"01a2040f-ce74-79f6-8126-c8b71a329ef1","display":"inline","ui_tool_completed":false,"ui_tool_status":"pending","payload":{"title":"Buy","agent_message":"Buy","tool_name":"buy","tool_params":{"item":"lamp"},"tool_description":"","entity_type":"","entity_summary":"Buy","entity_details":{"item":"lamp"},"action":"","impact":"costs 12","context":{},"warnings":[],"approval_options":["approve","reject"],"requires_reason":true,"final_confirmation":false,"edit_schema":{"type":"object","properties":{"item":{"title":"Item","type":"string"}},"additionalProperties":false},"changes":[],"agent_acts":false,"may_be_remembered":false,"sayso":{"card":"approval","interaction_type":"tool_approval","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","tool_call_id":"12b37118-7529-5e69-9360-2ef6956bcd21","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","digest":"sha256:0405527692943b75347b7d1a8ba68ea43b3c92ae4f7c8333398a834b0415c5be","revision":2,"assignees":[]}},"timestamp":"2026-11-22T16:21:14.480375+00:00"}}}');
INSERT INTO "item" VALUES('default','task:desk','message','01a2040f-ce76-7c66-9013-37b00f04c081',10,10,1,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58','pay?','{"kind":"message","event_id":"01a2040f-ce76-7c66-9013-37b00f04c081","sequence":10,"as_of":10,"role":"assistant","agent_name":"agent","content":"Pay?","timestamp":"2026-11-22T16:21:14.480375+00:00","status":"complete","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","metadata":{"ui_tool":{"ui_tool_id":"confirmation","event_id":"01a2040f-ce76-7c66-9013-37b00f04c081","display":"inline","ui_tool_completed":false,"ui_tool_status":"pending","payload":{"title":"Pay?","agent_message":"Pay?","details":[{"label":"Amount","value":1000}],"context":{},"approval_options":["approve","reject"],"requires_reason":false,"sayso":{"card":"confirmation","interaction_type":"confirmation","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","revision":1,"assignees":[]}},"timestamp":"2026-11-22T16:21:14.480375+00:00"}}}');
INSERT INTO "item" VALUES('default','task:desk','message','01a2040f-ce76-7679-80bc-a9ff6307ea64',11,14,0,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58','which account?','{"kind":"message","event_id":"01a2040f-ce76-7679-80bc-a9ff6307ea64","sequence":11,"as_of":14,"role":"assistant","agent_name":"agent","content":"Which account?","timestamp":"2026-11-22T16:21:14.480375+00:00","status":"complete","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","metadata":{"ui_tool":{"ui_tool_id":"options","event_id":"01a2040f-ce76-7679-80bc-a9ff6307ea64","display":"inline","ui_tool_completed":true,"ui_tool_status":"completed","payload":{"title":"Which account?","agent_message":"Which account?","question":"Which account?","options":[],"context":{},"allow_notes":true,"sayso":{"card":"options","interaction_type":"user_input","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","revision":1,"assignees":[]}},"timestamp":"2026-11-22T16:21:14.480375+00:00","response_summary":"Which account? completed","completed_at":"2026-11-22T16:21:14.519665+00:00","completed_by":"in process"}}}');
INSERT INTO "item" VALUES('default','task:desk','message','01a2040f-ce76-71a8-a4f0-d2fe6e9c7d45',12,12,1,'01a2040f-ce1d-70a3-930e-a2b1bca6ca58','which colour?','{"kind":"message","event_id":"01a2040f-ce76-71a8-a4f0-d2fe6e9c7d45","sequence":12,"as_of":12,"role":"assistant","agent_name":"agent","content":"Which colour?","timestamp":"2026-11-22T16:21:14.480375+00:00","status":"complete","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","metadata":{"ui_tool":{"ui_tool_id":"options","event_id":"01a2040f-ce76-71a8-a4f0-d2fe6e9c7d45","display":"inline","ui_tool_completed":false,"ui_tool_status":"pending","payload":{"title":"Which colour?","agent_message":"Which colour?","question":"Which colour?","options":[],"context":{},"allow_notes":true,"sayso":{"card":"options","interaction_type":"user_input","run_id":"01a2040f-ce1d-70a3-930e-a2b1bca6ca58","batch_id":"01a2040f-ce70-7d33-9393-d7f7fede7c1c","revision":1,"assignees":[]}},"timestamp":"2026-11-22T16:21:14.480375+00:00"}}}');
CREATE TABLE message_dedupe (
	app_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	client_message_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	run_id TEXT, 
	digest TEXT NOT NULL, 
	PRIMARY KEY (app_id, chat_id, client_message_id)
)
 WITHOUT ROWID

;
INSERT INTO "message_dedupe" VALUES('default','task:desk','desk','01a2040f-ce1d-7142-a760-46f8b35bc7e3','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','sha256:8c6f215ec72eef2444cd35d06fa2687b14efb6c2fa95f61de0e40ad91e26d9e7');
CREATE TABLE open_text (
	app_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	position BIGINT NOT NULL, 
	run_id TEXT NOT NULL, 
	agent_name TEXT, 
	text TEXT NOT NULL, 
	PRIMARY KEY (app_id, chat_id, message_id, position)
)
 WITHOUT ROWID

;
CREATE TABLE preference (
	app_id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	content TEXT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (app_id, person)
)
 WITHOUT ROWID

;
CREATE TABLE run (
	app_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	task_id TEXT NOT NULL, 
	task_digest TEXT NOT NULL, 
	task TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	person TEXT, 
	message_id TEXT, 
	number BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	owner TEXT, 
	fence BIGINT NOT NULL, 
	lease_until BIGINT, 
	takeovers INTEGER NOT NULL, 
	resume_each BOOLEAN NOT NULL, 
	saved_adapter TEXT, 
	saved_version TEXT, 
	saved_blob BLOB, 
	saved_journal BLOB, 
	parent_run_id TEXT, 
	parent_call_key TEXT, 
	error TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, children INTEGER, output TEXT, applied_fence BIGINT, 
	PRIMARY KEY (app_id, id)
);
INSERT INTO "run" VALUES('default','01a2040f-ce1d-70a3-930e-a2b1bca6ca58','task:desk','desk','sha256:487fb2d0297f5f27b378e009c98537304192d3c072c2e00c924aff0ffb03d9fe','{"task_id":"desk","task_type":"chat","messages":[{"role":"user","content":"go","name":null,"metadata":{}}],"execution_config":{"execution_mode":"interactive","timeout_seconds":null,"metadata":{}},"context":{},"available_tools":[]}','agent',NULL,'01a2040f-ce1d-7142-a760-46f8b35bc7e3',1,'waiting',NULL,2,NULL,0,1,'function','1',X'',X'7B2276657273696F6E223A312C227061746873223A7B22223A7B227374657073223A5B5B226761746865723A656632643132376465333762393432622330222C22676174686572222C22222C2265663264313237646533376239343262222C66616C73652C6E756C6C2C6E756C6C5D5D2C2273616964223A302C22736169645F68617368223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535227D2C226761746865723A6566326431323764653337623934326223302E302F223A7B227374657073223A5B5B226761746865723A6566326431323764653337623934326223302E302F63616C6C3A306133343963303139396337323834622330222C2263616C6C222C22726566756E64222C2230613334396330313939633732383462222C66616C73652C6E756C6C2C6E756C6C5D5D2C2273616964223A302C22736169645F68617368223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535227D2C226761746865723A6566326431323764653337623934326223302E312F223A7B227374657073223A5B5B226761746865723A6566326431323764653337623934326223302E312F63616C6C3A303936656335303339313764656166612330222C2263616C6C222C22627579222C2230393665633530333931376465616661222C66616C73652C6E756C6C2C6E756C6C5D5D2C2273616964223A302C22736169645F68617368223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535227D2C226761746865723A6566326431323764653337623934326223302E322F223A7B227374657073223A5B5B226761746865723A6566326431323764653337623934326223302E322F636F6E6669726D3A333638636535336264666338353065342330222C22636F6E6669726D222C225061793F222C2233363863653533626466633835306534222C66616C73652C6E756C6C2C6E756C6C5D5D2C2273616964223A302C22736169645F68617368223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535227D2C226761746865723A6566326431323764653337623934326223302E332F223A7B227374657073223A5B5B226761746865723A6566326431323764653337623934326223302E332F61736B3A353262383763353638343663363535352330222C2261736B222C225768696368206163636F756E743F222C2235326238376335363834366336353535222C747275652C6E756C6C2C6E756C6C5D5D2C2273616964223A302C22736169645F68617368223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535227D2C226761746865723A6566326431323764653337623934326223302E342F223A7B227374657073223A5B5B226761746865723A6566326431323764653337623934326223302E342F61736B3A666530623665626635316432383365362330222C2261736B222C22576869636820636F6C6F75723F222C2266653062366562663531643238336536222C66616C73652C6E756C6C2C6E756C6C5D5D2C2273616964223A302C22736169645F68617368223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535227D7D2C2263616C6C6564223A5B226761746865723A6566326431323764653337623934326223302E302F63616C6C3A306133343963303139396337323834622330222C226761746865723A6566326431323764653337623934326223302E312F63616C6C3A303936656335303339313764656166612330225D2C22726573756C7473223A7B7D2C22706175736564223A7B7D2C227374616C65223A7B7D2C22686973746F7279223A5B5D7D',NULL,NULL,NULL,1795364474397303,1795364474535181,0,NULL,NULL);
CREATE INDEX audit_by_position ON audit (app_id, position);
CREATE UNIQUE INDEX audit_chain ON audit (app_id, chat_id, number);
CREATE INDEX chat_by_update ON chat (app_id, updated_at);
CREATE INDEX draft_by_chat ON draft (app_id, chat_id, person);
CREATE INDEX draft_by_run ON draft (app_id, run_id);
CREATE INDEX effect_by_call ON effect (app_id, tool_call_id);
CREATE UNIQUE INDEX interaction_by_call ON interaction (app_id, run_id, call_key);
CREATE INDEX interaction_by_chat ON interaction (app_id, chat_id, state);
CREATE INDEX interaction_by_creation ON interaction (app_id, created_at, opened_seq, id);
CREATE INDEX interaction_due ON interaction (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX interaction_pending ON interaction (app_id, created_at, opened_seq, id) WHERE state = 'pending';
CREATE INDEX item_artifact ON item (app_id, id) WHERE kind = 'artifact';
CREATE UNIQUE INDEX item_by_sequence ON item (app_id, chat_id, sequence);
CREATE INDEX item_open ON item (app_id, chat_id, is_open) WHERE is_open = TRUE;
CREATE INDEX item_tool_call ON item (app_id, id) WHERE kind = 'tool_call';
CREATE INDEX run_by_parent ON run (app_id, parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE UNIQUE INDEX run_by_task ON run (app_id, chat_id, task_id);
CREATE INDEX run_due ON run (updated_at) WHERE state IN ('ready', 'running');
CREATE UNIQUE INDEX run_open ON run (app_id, chat_id) WHERE state IN ('ready', 'running', 'waiting') AND parent_run_id IS NULL;
CREATE INDEX run_queued ON run (app_id, chat_id, number) WHERE state = 'queued';
CREATE INDEX interaction_settled ON interaction (app_id, settled_at, opened_seq, id) WHERE state <> 'pending';
COMMIT;
