-- moves.cards.OF_RUN
SELECT interaction.app_id AS i_app_id, interaction.id AS i_id, interaction.chat_id AS i_chat_id, interaction.run_id AS i_run_id, interaction.task_id AS i_task_id, interaction.call_key AS i_call_key, interaction.batch_id AS i_batch_id, interaction.type AS i_type, interaction.kind AS i_kind, interaction.state AS i_state, interaction.card AS i_card, interaction.ui_tool_id AS i_ui_tool_id, interaction.agent_name AS i_agent_name, interaction.display AS i_display, interaction.tool_call_id AS i_tool_call_id, interaction.proposal AS i_proposal, interaction.assignees AS i_assignees, interaction.on_expiry AS i_on_expiry, interaction.expires_at AS i_expires_at, interaction.response AS i_response, interaction.answer_key AS i_answer_key, interaction.created_at AS i_created_at, interaction.opened_seq AS i_opened_seq, interaction.settled_at AS i_settled_at, interaction.settled_by AS i_settled_by, interaction.applied_fence AS i_applied_fence, interaction.salt AS i_salt, interaction.digest AS i_digest, interaction.changes AS i_changes, interaction.revision AS i_revision 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.run_id = :run_id::VARCHAR ORDER BY interaction.opened_seq FOR UPDATE

-- moves.cards.PENDING_OF_RUN
SELECT interaction.app_id AS i_app_id, interaction.id AS i_id, interaction.chat_id AS i_chat_id, interaction.run_id AS i_run_id, interaction.task_id AS i_task_id, interaction.call_key AS i_call_key, interaction.batch_id AS i_batch_id, interaction.type AS i_type, interaction.kind AS i_kind, interaction.state AS i_state, interaction.card AS i_card, interaction.ui_tool_id AS i_ui_tool_id, interaction.agent_name AS i_agent_name, interaction.display AS i_display, interaction.tool_call_id AS i_tool_call_id, interaction.proposal AS i_proposal, interaction.assignees AS i_assignees, interaction.on_expiry AS i_on_expiry, interaction.expires_at AS i_expires_at, interaction.response AS i_response, interaction.answer_key AS i_answer_key, interaction.created_at AS i_created_at, interaction.opened_seq AS i_opened_seq, interaction.settled_at AS i_settled_at, interaction.settled_by AS i_settled_by, interaction.applied_fence AS i_applied_fence, interaction.salt AS i_salt, interaction.digest AS i_digest, interaction.changes AS i_changes, interaction.revision AS i_revision 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.run_id = :run_id::VARCHAR AND interaction.state = 'pending' ORDER BY interaction.opened_seq FOR UPDATE

-- moves.cards._OPEN
INSERT INTO interaction (app_id, id, chat_id, run_id, task_id, call_key, batch_id, type, kind, state, card, ui_tool_id, agent_name, display, tool_call_id, proposal, assignees, on_expiry, expires_at, response, answer_key, created_at, opened_seq, settled_at, settled_by, applied_fence, tool_name, decision, search_text, salt, digest, changes, revision) VALUES (:app_id::VARCHAR, :id::VARCHAR, :chat_id::VARCHAR, :run_id::VARCHAR, :task_id::VARCHAR, :call_key::VARCHAR, :batch_id::VARCHAR, :type::VARCHAR, :kind::VARCHAR, :state::VARCHAR, :card::VARCHAR, :ui_tool_id::VARCHAR, :agent_name::VARCHAR, :display::VARCHAR, :tool_call_id::VARCHAR, :proposal::VARCHAR, :assignees::VARCHAR, :on_expiry::VARCHAR, :expires_at::BIGINT, :response::VARCHAR, :answer_key::VARCHAR, :created_at::BIGINT, :opened_seq::BIGINT, :settled_at::BIGINT, :settled_by::VARCHAR, :applied_fence::BIGINT, :tool_name::VARCHAR, :decision::VARCHAR, :search_text::VARCHAR, :salt::VARCHAR, :digest::VARCHAR, :changes::VARCHAR, :revision::INTEGER)

-- moves.cards._PENDING_IN_CHAT
SELECT interaction.app_id AS i_app_id, interaction.id AS i_id, interaction.chat_id AS i_chat_id, interaction.run_id AS i_run_id, interaction.task_id AS i_task_id, interaction.call_key AS i_call_key, interaction.batch_id AS i_batch_id, interaction.type AS i_type, interaction.kind AS i_kind, interaction.state AS i_state, interaction.card AS i_card, interaction.ui_tool_id AS i_ui_tool_id, interaction.agent_name AS i_agent_name, interaction.display AS i_display, interaction.tool_call_id AS i_tool_call_id, interaction.proposal AS i_proposal, interaction.assignees AS i_assignees, interaction.on_expiry AS i_on_expiry, interaction.expires_at AS i_expires_at, interaction.response AS i_response, interaction.answer_key AS i_answer_key, interaction.created_at AS i_created_at, interaction.opened_seq AS i_opened_seq, interaction.settled_at AS i_settled_at, interaction.settled_by AS i_settled_by, interaction.applied_fence AS i_applied_fence, interaction.salt AS i_salt, interaction.digest AS i_digest, interaction.changes AS i_changes, interaction.revision AS i_revision 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.chat_id = :chat::VARCHAR AND interaction.state = 'pending' ORDER BY interaction.opened_seq FOR UPDATE

-- moves.cards._REDRAW
UPDATE interaction SET card=:card::VARCHAR, ui_tool_id=:ui_tool_id::VARCHAR, agent_name=:agent_name::VARCHAR, display=:display::VARCHAR, tool_call_id=:tool_call_id::VARCHAR, proposal=:proposal::VARCHAR, assignees=:assignees::VARCHAR, on_expiry=:on_expiry::VARCHAR, expires_at=:expires_at::BIGINT, tool_name=:tool_name::VARCHAR, search_text=:search_text::VARCHAR, salt=:salt::VARCHAR, digest=:digest::VARCHAR, changes=:changes::VARCHAR, revision=:revision::INTEGER WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR AND interaction.state = 'pending'

-- moves.cards._SETTLE
UPDATE interaction SET state=:state::VARCHAR, response=:response::VARCHAR, answer_key=:answer_key::VARCHAR, settled_at=:settled_at::BIGINT, settled_by=:settled_by::VARCHAR, applied_fence=:applied_fence::BIGINT, decision=:decision::VARCHAR, search_text=:search_text::VARCHAR WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR AND interaction.state = 'pending' RETURNING interaction.id, interaction.chat_id, interaction.run_id, interaction.task_id, interaction.call_key, interaction.type, interaction.kind, interaction.state, interaction.card, interaction.ui_tool_id, interaction.agent_name, interaction.tool_call_id, interaction.proposal, interaction.salt, interaction.digest, interaction.revision, interaction.assignees, interaction.response, interaction.answer_key, interaction.created_at, interaction.settled_at, interaction.settled_by, interaction.tool_name, interaction.decision

-- moves.cards._SETTLE_IN_WORDS
UPDATE interaction SET state=:state::VARCHAR, response=:response::VARCHAR, answer_key=:answer_key::VARCHAR, settled_at=:settled_at::BIGINT, settled_by=:settled_by::VARCHAR, applied_fence=:applied_fence::BIGINT, decision=:decision::VARCHAR, search_text=:search_text::VARCHAR WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR AND interaction.state = 'superseded' RETURNING interaction.id, interaction.chat_id, interaction.run_id, interaction.task_id, interaction.call_key, interaction.type, interaction.kind, interaction.state, interaction.card, interaction.ui_tool_id, interaction.agent_name, interaction.tool_call_id, interaction.proposal, interaction.salt, interaction.digest, interaction.revision, interaction.assignees, interaction.response, interaction.answer_key, interaction.created_at, interaction.settled_at, interaction.settled_by, interaction.tool_name, interaction.decision

-- moves.cards._SETTLE_OVERDUE
UPDATE interaction SET state=:state::VARCHAR, response=:response::VARCHAR, answer_key=:answer_key::VARCHAR, settled_at=:settled_at::BIGINT, settled_by=:settled_by::VARCHAR, applied_fence=:applied_fence::BIGINT, decision=:decision::VARCHAR, search_text=:search_text::VARCHAR WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR AND interaction.state = 'pending' AND interaction.expires_at <= (extract(epoch from clock_timestamp()) * 1000000)::bigint RETURNING interaction.id, interaction.chat_id, interaction.run_id, interaction.task_id, interaction.call_key, interaction.type, interaction.kind, interaction.state, interaction.card, interaction.ui_tool_id, interaction.agent_name, interaction.tool_call_id, interaction.proposal, interaction.salt, interaction.digest, interaction.revision, interaction.assignees, interaction.response, interaction.answer_key, interaction.created_at, interaction.settled_at, interaction.settled_by, interaction.tool_name, interaction.decision

-- moves.cards._SUPERSEDED
SELECT interaction.app_id AS i_app_id, interaction.id AS i_id, interaction.chat_id AS i_chat_id, interaction.run_id AS i_run_id, interaction.task_id AS i_task_id, interaction.call_key AS i_call_key, interaction.batch_id AS i_batch_id, interaction.type AS i_type, interaction.kind AS i_kind, interaction.state AS i_state, interaction.card AS i_card, interaction.ui_tool_id AS i_ui_tool_id, interaction.agent_name AS i_agent_name, interaction.display AS i_display, interaction.tool_call_id AS i_tool_call_id, interaction.proposal AS i_proposal, interaction.assignees AS i_assignees, interaction.on_expiry AS i_on_expiry, interaction.expires_at AS i_expires_at, interaction.response AS i_response, interaction.answer_key AS i_answer_key, interaction.created_at AS i_created_at, interaction.opened_seq AS i_opened_seq, interaction.settled_at AS i_settled_at, interaction.settled_by AS i_settled_by, interaction.applied_fence AS i_applied_fence, interaction.salt AS i_salt, interaction.digest AS i_digest, interaction.changes AS i_changes, interaction.revision AS i_revision 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR AND interaction.chat_id = :chat::VARCHAR AND interaction.state = 'superseded'

-- moves.effect_outcomes._END
UPDATE effect SET state=:state::VARCHAR, result=:result::VARCHAR, error=:error::VARCHAR, ended_at=:ended_at::BIGINT WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.key = :of_key::VARCHAR AND effect.attempt = :of_attempt::INTEGER RETURNING effect.app_id, effect.run_id, effect.key, effect.attempt, effect.chat_id, effect.state, effect.tool_call_id, effect.tool_name, effect.arguments, effect.result, effect.error, effect.shown_digest, effect.executed_digest, effect.started_at, effect.ended_at, effect.business_key, effect.interaction_id, effect.allowed

-- moves.effect_outcomes._LEAVE
UPDATE effect SET state='uncertain', error=:error::VARCHAR, ended_at=:ended_at::BIGINT WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.state = 'started' AND NOT (EXISTS (SELECT * 
FROM effect AS later 
WHERE later.app_id = effect.app_id AND later.run_id = effect.run_id AND later.key = effect.key AND later.attempt > effect.attempt)) RETURNING effect.app_id, effect.run_id, effect.key, effect.attempt, effect.chat_id, effect.state, effect.tool_call_id, effect.tool_name, effect.arguments, effect.result, effect.error, effect.shown_digest, effect.executed_digest, effect.started_at, effect.ended_at, effect.business_key, effect.interaction_id, effect.allowed

-- moves.effect_outcomes._SETTLED_BY
SELECT interaction.settled_by 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR

-- moves.effect_start._HAND_ON_KEY
UPDATE effect SET business_key=NULL WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.key = :of_key::VARCHAR AND effect.business_key IS NOT NULL

-- moves.effect_start._HOLDER
SELECT effect.app_id, effect.run_id, effect.key, effect.attempt, effect.chat_id, effect.state, effect.tool_call_id, effect.tool_name, effect.arguments, effect.result, effect.error, effect.shown_digest, effect.executed_digest, effect.started_at, effect.ended_at, effect.business_key, effect.interaction_id, effect.allowed 
FROM effect 
WHERE effect.app_id = :app::VARCHAR AND effect.business_key = :held::VARCHAR AND effect.state IN ('started', 'uncertain', 'done')

-- moves.effect_start._START
INSERT INTO effect (app_id, run_id, key, attempt, chat_id, state, tool_call_id, tool_name, arguments, result, error, shown_digest, executed_digest, started_at, ended_at, business_key, interaction_id, allowed) VALUES (:app_id::VARCHAR, :run_id::VARCHAR, :key::VARCHAR, :attempt::INTEGER, :chat_id::VARCHAR, :state::VARCHAR, :tool_call_id::VARCHAR, :tool_name::VARCHAR, :arguments::VARCHAR, :result::VARCHAR, :error::VARCHAR, :shown_digest::VARCHAR, :executed_digest::VARCHAR, :started_at::BIGINT, :ended_at::BIGINT, :business_key::VARCHAR, :interaction_id::VARCHAR, :allowed::VARCHAR) ON CONFLICT DO NOTHING RETURNING effect.key

-- moves.effect_start._USE
UPDATE standing_rule SET uses=(standing_rule.uses + :uses_1::BIGINT), last_used_at=:now::BIGINT WHERE standing_rule.app_id = :app::VARCHAR AND standing_rule.revoked_at IS NULL AND (standing_rule.ends_at IS NULL OR standing_rule.ends_at > :now::BIGINT) AND standing_rule.id = :of::VARCHAR RETURNING standing_rule.id -- {'uses_1': 1}

-- moves.resume._WAITS_FOR
SELECT EXISTS (SELECT * 
FROM interaction AS card 
WHERE card.app_id = :app::VARCHAR AND card.run_id = :run_id::VARCHAR AND card.state = 'pending' AND card.id != :settling::VARCHAR) AS has_cards, EXISTS (SELECT * 
FROM run AS child 
WHERE child.app_id = :app::VARCHAR AND child.parent_run_id = :run_id::VARCHAR AND child.state IN ('ready', 'running', 'waiting')) AS has_children, EXISTS (SELECT * 
FROM interaction AS card 
WHERE card.app_id = :app::VARCHAR AND card.run_id = :run_id::VARCHAR AND card.state != 'pending' AND card.applied_fence IS NULL) AS has_answers, EXISTS (SELECT * 
FROM run AS child 
WHERE child.app_id = :app::VARCHAR AND child.parent_run_id = :run_id::VARCHAR AND child.state IN ('completed', 'failed', 'cancelled') AND child.applied_fence IS NULL) AS has_ended_children

-- moves.runs.RUN_AND_CHAT
SELECT run.app_id AS r_app_id, run.id AS r_id, run.chat_id AS r_chat_id, run.task_id AS r_task_id, run.task_digest AS r_task_digest, run.task AS r_task, run.agent AS r_agent, run.person AS r_person, run.message_id AS r_message_id, run.number AS r_number, run.state AS r_state, run.owner AS r_owner, run.fence AS r_fence, run.lease_until AS r_lease_until, run.takeovers AS r_takeovers, run.resume_each AS r_resume_each, run.saved_adapter AS r_saved_adapter, run.saved_version AS r_saved_version, run.saved_blob AS r_saved_blob, run.saved_journal AS r_saved_journal, run.parent_run_id AS r_parent_run_id, run.parent_call_key AS r_parent_call_key, run.error AS r_error, run.created_at AS r_created_at, run.updated_at AS r_updated_at, run.children AS r_children, run.output AS r_output, run.applied_fence AS r_applied_fence, run.due_at AS r_due_at, run.tries AS r_tries, run.trouble_since AS r_trouble_since, run.model_calls AS r_model_calls, run.saved_base AS r_saved_base, chat.app_id AS c_app_id, chat.id AS c_id, chat.agent AS c_agent, chat.search_title AS c_search_title, chat.log_id AS c_log_id, chat.last_seq AS c_last_seq, chat.head AS c_head, chat.audit_number AS c_audit_number, chat.audit_hash AS c_audit_hash, chat.created_by AS c_created_by, chat.created_at AS c_created_at, chat.updated_at AS c_updated_at, (extract(epoch from clock_timestamp()) * 1000000)::bigint AS db_now 
FROM run JOIN chat ON chat.app_id = run.app_id AND chat.id = run.chat_id 
WHERE run.app_id = :app::VARCHAR AND run.id = :run_id::VARCHAR FOR UPDATE OF run, chat

-- moves.runs._FENCED
SELECT run.app_id AS r_app_id, run.id AS r_id, run.chat_id AS r_chat_id, run.task_id AS r_task_id, run.task_digest AS r_task_digest, run.task AS r_task, run.agent AS r_agent, run.person AS r_person, run.message_id AS r_message_id, run.number AS r_number, run.state AS r_state, run.owner AS r_owner, run.fence AS r_fence, run.lease_until AS r_lease_until, run.takeovers AS r_takeovers, run.resume_each AS r_resume_each, run.saved_adapter AS r_saved_adapter, run.saved_version AS r_saved_version, run.saved_blob AS r_saved_blob, run.saved_journal AS r_saved_journal, run.parent_run_id AS r_parent_run_id, run.parent_call_key AS r_parent_call_key, run.error AS r_error, run.created_at AS r_created_at, run.updated_at AS r_updated_at, run.children AS r_children, run.output AS r_output, run.applied_fence AS r_applied_fence, run.due_at AS r_due_at, run.tries AS r_tries, run.trouble_since AS r_trouble_since, run.model_calls AS r_model_calls, run.saved_base AS r_saved_base, chat.app_id AS c_app_id, chat.id AS c_id, chat.agent AS c_agent, chat.search_title AS c_search_title, chat.log_id AS c_log_id, chat.last_seq AS c_last_seq, chat.head AS c_head, chat.audit_number AS c_audit_number, chat.audit_hash AS c_audit_hash, chat.created_by AS c_created_by, chat.created_at AS c_created_at, chat.updated_at AS c_updated_at, (extract(epoch from clock_timestamp()) * 1000000)::bigint AS db_now 
FROM run JOIN chat ON chat.app_id = run.app_id AND chat.id = run.chat_id 
WHERE run.app_id = :app::VARCHAR AND run.id = :run_id::VARCHAR AND run.fence = :number::BIGINT AND run.state = 'running' FOR UPDATE OF run, chat

-- moves.runs._INSERT
INSERT INTO run (app_id, id, chat_id, task_id, task_digest, task, agent, person, message_id, number, state, owner, fence, lease_until, takeovers, resume_each, saved_adapter, saved_version, saved_blob, saved_journal, parent_run_id, parent_call_key, error, created_at, updated_at, children, output, applied_fence, due_at, tries, trouble_since, model_calls, saved_base) VALUES (:app_id::VARCHAR, :id::VARCHAR, :chat_id::VARCHAR, :task_id::VARCHAR, :task_digest::VARCHAR, :task::VARCHAR, :agent::VARCHAR, :person::VARCHAR, :message_id::VARCHAR, :number::BIGINT, :state::VARCHAR, :owner::VARCHAR, :fence::BIGINT, :lease_until::BIGINT, :takeovers::INTEGER, :resume_each, :saved_adapter::VARCHAR, :saved_version::VARCHAR, :saved_blob, :saved_journal, :parent_run_id::VARCHAR, :parent_call_key::VARCHAR, :error::VARCHAR, :created_at::BIGINT, :updated_at::BIGINT, :children::INTEGER, :output::VARCHAR, :applied_fence::BIGINT, :due_at::BIGINT, :tries::INTEGER, :trouble_since::BIGINT, :model_calls::VARCHAR, :saved_base::VARCHAR)

-- moves.runs._MOVE
UPDATE run SET state=:state::VARCHAR, owner=:owner::VARCHAR, fence=:fence::BIGINT, lease_until=:lease_until::BIGINT, takeovers=:takeovers::INTEGER, error=:error::VARCHAR, updated_at=:updated_at::BIGINT, due_at=:due_at::BIGINT, tries=:tries::INTEGER, trouble_since=:trouble_since::BIGINT, model_calls=:model_calls::VARCHAR WHERE run.app_id = :app::VARCHAR AND run.id = :run_id::VARCHAR AND run.fence = :fence_was::BIGINT RETURNING run.id

-- moves.runs._RUN
SELECT run.app_id AS r_app_id, run.id AS r_id, run.chat_id AS r_chat_id, run.task_id AS r_task_id, run.task_digest AS r_task_digest, run.task AS r_task, run.agent AS r_agent, run.person AS r_person, run.message_id AS r_message_id, run.number AS r_number, run.state AS r_state, run.owner AS r_owner, run.fence AS r_fence, run.lease_until AS r_lease_until, run.takeovers AS r_takeovers, run.resume_each AS r_resume_each, run.saved_adapter AS r_saved_adapter, run.saved_version AS r_saved_version, run.saved_blob AS r_saved_blob, run.saved_journal AS r_saved_journal, run.parent_run_id AS r_parent_run_id, run.parent_call_key AS r_parent_call_key, run.error AS r_error, run.created_at AS r_created_at, run.updated_at AS r_updated_at, run.children AS r_children, run.output AS r_output, run.applied_fence AS r_applied_fence, run.due_at AS r_due_at, run.tries AS r_tries, run.trouble_since AS r_trouble_since, run.model_calls AS r_model_calls, run.saved_base AS r_saved_base 
FROM run 
WHERE run.app_id = :app::VARCHAR AND run.id = :run_id::VARCHAR FOR UPDATE

-- verbs.answers._EXTEND
UPDATE interaction SET expires_at=:expires_at::BIGINT WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR AND interaction.state = 'pending' AND interaction.expires_at = :seen::BIGINT RETURNING interaction.id

-- verbs.answers._NEXT_EXPIRY
SELECT interaction.expires_at 
FROM interaction 
WHERE interaction.state = 'pending' AND interaction.expires_at IS NOT NULL ORDER BY interaction.expires_at 
 LIMIT :param_1::INTEGER -- {'param_1': 1}

-- verbs.answers._OVERDUE
SELECT interaction.app_id, interaction.id 
FROM interaction 
WHERE interaction.state = 'pending' AND interaction.expires_at IS NOT NULL AND interaction.expires_at <= (extract(epoch from clock_timestamp()) * 1000000)::bigint ORDER BY interaction.expires_at 
 LIMIT :param_1::INTEGER -- {'param_1': 1}

-- verbs.answers._WHOLE
SELECT run.app_id AS r_app_id, run.id AS r_id, run.chat_id AS r_chat_id, run.task_id AS r_task_id, run.task_digest AS r_task_digest, run.task AS r_task, run.agent AS r_agent, run.person AS r_person, run.message_id AS r_message_id, run.number AS r_number, run.state AS r_state, run.owner AS r_owner, run.fence AS r_fence, run.lease_until AS r_lease_until, run.takeovers AS r_takeovers, run.resume_each AS r_resume_each, run.saved_adapter AS r_saved_adapter, run.saved_version AS r_saved_version, run.saved_blob AS r_saved_blob, run.saved_journal AS r_saved_journal, run.parent_run_id AS r_parent_run_id, run.parent_call_key AS r_parent_call_key, run.error AS r_error, run.created_at AS r_created_at, run.updated_at AS r_updated_at, run.children AS r_children, run.output AS r_output, run.applied_fence AS r_applied_fence, run.due_at AS r_due_at, run.tries AS r_tries, run.trouble_since AS r_trouble_since, run.model_calls AS r_model_calls, run.saved_base AS r_saved_base, interaction.app_id AS i_app_id, interaction.id AS i_id, interaction.chat_id AS i_chat_id, interaction.run_id AS i_run_id, interaction.task_id AS i_task_id, interaction.call_key AS i_call_key, interaction.batch_id AS i_batch_id, interaction.type AS i_type, interaction.kind AS i_kind, interaction.state AS i_state, interaction.card AS i_card, interaction.ui_tool_id AS i_ui_tool_id, interaction.agent_name AS i_agent_name, interaction.display AS i_display, interaction.tool_call_id AS i_tool_call_id, interaction.proposal AS i_proposal, interaction.assignees AS i_assignees, interaction.on_expiry AS i_on_expiry, interaction.expires_at AS i_expires_at, interaction.response AS i_response, interaction.answer_key AS i_answer_key, interaction.created_at AS i_created_at, interaction.opened_seq AS i_opened_seq, interaction.settled_at AS i_settled_at, interaction.settled_by AS i_settled_by, interaction.applied_fence AS i_applied_fence, interaction.salt AS i_salt, interaction.digest AS i_digest, interaction.changes AS i_changes, interaction.revision AS i_revision, chat.app_id AS c_app_id, chat.id AS c_id, chat.agent AS c_agent, chat.search_title AS c_search_title, chat.log_id AS c_log_id, chat.last_seq AS c_last_seq, chat.head AS c_head, chat.audit_number AS c_audit_number, chat.audit_hash AS c_audit_hash, chat.created_by AS c_created_by, chat.created_at AS c_created_at, chat.updated_at AS c_updated_at, item.app_id AS m_app_id, item.chat_id AS m_chat_id, item.kind AS m_kind, item.id AS m_id, item.sequence AS m_sequence, item.as_of AS m_as_of, item.is_open AS m_is_open, item.run_id AS m_run_id, item.search_text AS m_search_text, item.body AS m_body, EXISTS (SELECT * 
FROM interaction AS card 
WHERE card.app_id = run.app_id AND card.run_id = run.id AND card.state = 'pending' AND card.id != interaction.id) AS has_cards, EXISTS (SELECT * 
FROM run AS child 
WHERE child.app_id = run.app_id AND child.parent_run_id = run.id AND child.state IN ('ready', 'running', 'waiting')) AS has_children, EXISTS (SELECT * 
FROM interaction AS card 
WHERE card.app_id = run.app_id AND card.run_id = run.id AND card.state != 'pending' AND card.applied_fence IS NULL) AS has_answers, EXISTS (SELECT * 
FROM run AS child 
WHERE child.app_id = run.app_id AND child.parent_run_id = run.id AND child.state IN ('completed', 'failed', 'cancelled') AND child.applied_fence IS NULL) AS has_ended_children, (extract(epoch from clock_timestamp()) * 1000000)::bigint AS db_now 
FROM run JOIN interaction ON interaction.app_id = run.app_id AND interaction.run_id = run.id JOIN chat ON chat.app_id = run.app_id AND chat.id = run.chat_id LEFT OUTER JOIN item ON item.app_id = interaction.app_id AND item.chat_id = interaction.chat_id AND item.kind = 'message' AND item.id = interaction.id 
WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR FOR UPDATE OF run, interaction, chat

-- verbs.audit_check._CARDS
SELECT interaction.id, interaction.chat_id, interaction.run_id, interaction.task_id, interaction.call_key, interaction.type, interaction.kind, interaction.state, interaction.card, interaction.ui_tool_id, interaction.agent_name, interaction.tool_call_id, interaction.proposal, interaction.salt, interaction.digest, interaction.revision, interaction.assignees, interaction.response, interaction.answer_key, interaction.created_at, interaction.settled_at, interaction.settled_by, interaction.tool_name, interaction.decision 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.chat_id = :chat::VARCHAR

-- verbs.audit_check._CHAIN
SELECT audit.position, audit.app_id, audit.chat_id, audit.number, audit.at, audit.actor, audit.action, audit.subject, audit.body, audit.hash, audit.key_id 
FROM audit 
WHERE audit.app_id = :app::VARCHAR AND audit.chat_id = :chat::VARCHAR AND audit.number > :after::BIGINT ORDER BY audit.number 
 LIMIT :param_1::INTEGER -- {'param_1': 1000}

-- verbs.audit_check._CHATS
SELECT anon_1.id 
FROM (SELECT chat.id AS id 
FROM chat 
WHERE chat.app_id = :app::VARCHAR AND chat.id > :after::VARCHAR UNION SELECT audit.chat_id AS chat_id 
FROM audit 
WHERE audit.app_id = :app::VARCHAR AND audit.chat_id > :after::VARCHAR) AS anon_1 ORDER BY anon_1.id 
 LIMIT :param_1::INTEGER -- {'param_1': 1000}

-- verbs.audit_check._EFFECTS
SELECT effect.run_id, effect.key, effect.attempt, effect.chat_id, effect.state, effect.tool_call_id, effect.tool_name, effect.arguments, effect.result, effect.error, effect.shown_digest, effect.executed_digest, effect.interaction_id, effect.allowed, effect.started_at, effect.ended_at 
FROM run JOIN effect ON effect.app_id = run.app_id AND effect.run_id = run.id 
WHERE run.app_id = :app::VARCHAR AND run.chat_id = :chat::VARCHAR

-- verbs.audit_check._HASH
SELECT audit.hash 
FROM audit 
WHERE audit.app_id = :app::VARCHAR AND audit.chat_id = :chat::VARCHAR AND audit.number = :at::BIGINT

-- verbs.audit_check._HEAD
SELECT chat.audit_number, chat.audit_hash, chat.head 
FROM chat 
WHERE chat.app_id = :app::VARCHAR AND chat.id = :chat::VARCHAR

-- verbs.audit_check._RULES
SELECT standing_rule.id, standing_rule.chat_id, standing_rule.interaction_id, standing_rule.agent_name, standing_rule.rule, standing_rule.written_by, standing_rule.written_at, standing_rule.ends_at, standing_rule.revoked_by, standing_rule.revoked_at 
FROM standing_rule 
WHERE standing_rule.app_id = :app::VARCHAR AND standing_rule.chat_id = :chat::VARCHAR

-- verbs.audit_check._SEALS
SELECT seal.app_id, seal.number, seal.at, seal.position, seal.heads, seal.key_id, seal.hash 
FROM seal 
WHERE seal.app_id = :app::VARCHAR AND seal.number > :after::BIGINT ORDER BY seal.number 
 LIMIT :param_1::INTEGER -- {'param_1': 1000}

-- verbs.effect_end._ATTEMPT
SELECT effect.app_id, effect.run_id, effect.key, effect.attempt, effect.chat_id, effect.state, effect.tool_call_id, effect.tool_name, effect.arguments, effect.result, effect.error, effect.shown_digest, effect.executed_digest, effect.started_at, effect.ended_at, effect.business_key, effect.interaction_id, effect.allowed 
FROM effect 
WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.key = :of_key::VARCHAR AND effect.attempt = :of_attempt::INTEGER FOR UPDATE

-- verbs.effect_end._LATER
SELECT effect.attempt 
FROM effect 
WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.key = :of_key::VARCHAR AND effect.attempt > :of_attempt::INTEGER 
 LIMIT :param_1::INTEGER -- {'param_1': 1}

-- verbs.effect_end._UNCERTAIN_CARD
SELECT interaction.app_id AS i_app_id, interaction.id AS i_id, interaction.chat_id AS i_chat_id, interaction.run_id AS i_run_id, interaction.task_id AS i_task_id, interaction.call_key AS i_call_key, interaction.batch_id AS i_batch_id, interaction.type AS i_type, interaction.kind AS i_kind, interaction.state AS i_state, interaction.card AS i_card, interaction.ui_tool_id AS i_ui_tool_id, interaction.agent_name AS i_agent_name, interaction.display AS i_display, interaction.tool_call_id AS i_tool_call_id, interaction.proposal AS i_proposal, interaction.assignees AS i_assignees, interaction.on_expiry AS i_on_expiry, interaction.expires_at AS i_expires_at, interaction.response AS i_response, interaction.answer_key AS i_answer_key, interaction.created_at AS i_created_at, interaction.opened_seq AS i_opened_seq, interaction.settled_at AS i_settled_at, interaction.settled_by AS i_settled_by, interaction.applied_fence AS i_applied_fence, interaction.salt AS i_salt, interaction.digest AS i_digest, interaction.changes AS i_changes, interaction.revision AS i_revision 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.run_id = :of_run::VARCHAR AND interaction.call_key = :call_key::VARCHAR FOR UPDATE

-- verbs.effects._ALLOWED_ON
SELECT interaction.digest 
FROM interaction 
WHERE interaction.app_id = :app::VARCHAR AND interaction.id = :interaction::VARCHAR

-- verbs.effects._CALL
SELECT item.app_id AS m_app_id, item.chat_id AS m_chat_id, item.kind AS m_kind, item.id AS m_id, item.sequence AS m_sequence, item.as_of AS m_as_of, item.is_open AS m_is_open, item.run_id AS m_run_id, item.search_text AS m_search_text, item.body AS m_body 
FROM item 
WHERE item.app_id = :app::VARCHAR AND item.id = :call::VARCHAR AND item.kind = 'tool_call' ORDER BY item.sequence DESC 
 LIMIT :param_1::INTEGER -- {'param_1': 1}

-- verbs.effects._DONE_BEFORE
SELECT effect.attempt 
FROM effect 
WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.key = :of_key::VARCHAR AND effect.attempt < :of_attempt::INTEGER AND effect.state = 'done' 
 LIMIT :param_1::INTEGER -- {'param_1': 1}

-- verbs.effects._GOT_SOMEWHERE
UPDATE run SET takeovers=:takeovers::INTEGER WHERE run.app_id = :app::VARCHAR AND run.id = :of_run::VARCHAR -- {'takeovers': 0}

-- verbs.effects._LAST_EFFECT
SELECT effect.app_id, effect.run_id, effect.key, effect.attempt, effect.chat_id, effect.state, effect.tool_call_id, effect.tool_name, effect.arguments, effect.result, effect.error, effect.shown_digest, effect.executed_digest, effect.started_at, effect.ended_at, effect.business_key, effect.interaction_id, effect.allowed 
FROM effect 
WHERE effect.app_id = :app::VARCHAR AND effect.run_id = :of_run::VARCHAR AND effect.tool_call_id = :call::VARCHAR ORDER BY effect.attempt DESC 
 LIMIT :param_1::INTEGER -- {'param_1': 1}
