"""A stand-in for the engine while the store is being written. To be deleted."""

import uuid
from datetime import UTC, datetime
import orjson
from sayso.core.answers import read_answer
from sayso.core.errors import NotFound, MessageIdReused
from sayso.core.events import *
from sayso.core.interactions import *
from sayso.core.ports import *
from sayso.core.view import ChatView, fold, Head
from sayso.core.cards import ApprovalCard
from sayso.core.sessions import RunState, Run
from sayso.core.segments import Capabilities
from sayso.feed import LocalFeed


class Prog:
    name = "demo"
    adapter_name = "fake"
    capabilities = Capabilities()
    tool_names = ["a"]


class FakeEngine:
    def __init__(self, feed=None):
        self.feed = feed or LocalFeed()
        self.store = self
        self.programs = {"demo": Prog()}
        self.default_agent = "demo"
        self.log = {}
        self.base = {}
        self.its = {}
        self.live = {}
        self.msgs = {}
        self._drafts = {}
        self.prefs = {}
        self.health = {"worker": "running", "segments": 0}

    async def start(self):
        pass

    async def stop(self):
        pass

    async def next_expiry(self):
        return None

    async def create_chat(self, app_id, *, agent=None, title="", by=None):
        if agent not in (None, "demo"):
            raise NotFound(f"There is no agent '{agent}'.")
        cid = str(uuid.uuid4())
        self.base[app_id, cid] = ChatView(
            id=cid,
            app_id=app_id,
            agent="demo",
            title=title,
            log_id="L1",
            created_at=datetime.now(UTC).isoformat(),
        )
        self.log[app_id, cid] = []
        return self.base[app_id, cid]

    def say(self, app_id, chat_id, *data, by=None):
        log = self.log[app_id, chat_id]
        out = []
        for d in data:
            e = ChatEvent(len(log) + 1, datetime.now(UTC), d, by)
            f = Frame(chat_id, e.seq, e, orjson.dumps(e.as_json()))
            log.append(f)
            out.append(f)
        self.feed.publish(app_id, out)
        return out

    def delta(self, app_id, chat_id, mid, offset, text):
        d = TextDelta(mid, offset, text, "demo")
        self.feed.publish(app_id, [Frame(chat_id, None, d, orjson.dumps(d.as_json()))])

    async def load_view(self, app_id, chat_id, *, before=None, limit=50):
        if (app_id, chat_id) not in self.base:
            return None
        return fold(self.base[app_id, chat_id], [f.body for f in self.log[app_id, chat_id]])

    async def events_after(self, app_id, chat_id, seq, *, limit=1000):
        return self.log[app_id, chat_id][seq : seq + limit]

    async def open_texts(self, app_id, chat_id):
        return list(self.live.get(chat_id, {}).values())

    async def drafts(self, app_id, chat_id, person):
        return [d for d in self._drafts.values() if d.person == person]

    async def put_draft(self, app_id, draft):
        self._drafts[draft.interaction_id, draft.person] = draft
        it = self.its[app_id, draft.interaction_id]
        self.feed.publish(app_id, [Frame(it.chat_id, None, draft, orjson.dumps(draft.as_json()))])

    async def list_chats(self, app_id, *, q="", before=None, limit=50):
        return []

    async def post_message(
        self, app_id, chat_id, *, content, client_message_id, context=None, supersede=False, by=None
    ):
        if (app_id, chat_id) not in self.base:
            raise NotFound(f"There is no chat '{chat_id}'.")
        old = self.msgs.get((chat_id, client_message_id))
        if old:
            if old[0] != content:
                raise MessageIdReused("x")
            return Posted(status="repeated", message_id=old[1], run_id=old[2])
        mid, rid = str(uuid.uuid4()), str(uuid.uuid4())
        self.msgs[chat_id, client_message_id] = (content, mid, rid)
        self.say(
            app_id,
            chat_id,
            MessageWritten(
                message_id=mid,
                role="user",
                content=content,
                run_id=rid,
                client_message_id=client_message_id,
            ),
            RunMoved(run_id=rid, task_id="t", status="running"),
            by=by,
        )
        return Posted(status="started", message_id=mid, run_id=rid)

    async def interaction(self, app_id, iid):
        return self.its.get((app_id, iid))

    async def interactions(self, app_id, wanted, *, before=None, limit=50):
        return (
            [
                i
                for i in self.its.values()
                if i.app_id == app_id
                and (wanted.status is None or i.state == wanted.status)
                and (wanted.run_id in (None, i.run_id))
            ]
            if not before
            else []
        )

    def ask(self, app_id, chat_id, rid):
        it = Interaction(
            id=str(uuid.uuid4()),
            app_id=app_id,
            chat_id=chat_id,
            run_id=rid,
            task_id="t",
            call_key="k",
            batch_id="b",
            type=InteractionType.TOOL_APPROVAL,
            state=InteractionState.PENDING,
            card=ApprovalCard(title="Refund", tool_name="refund", tool_params={"x": 1}),
            ui_tool_id="approval",
            agent_name="demo",
            display="inline",
            created_at=datetime.now(UTC),
        )
        self.its[app_id, it.id] = it
        self.say(
            app_id,
            chat_id,
            UiToolOpened(
                ui_tool_id="approval",
                eventId=it.id,
                workflow_name="demo",
                display="inline",
                payload=it.payload,
            ),
            RunMoved(run_id=rid, task_id="t", status="waiting"),
        )
        return it

    async def answer(self, app_id, iid, body, *, key, by, reason_required=True):
        from dataclasses import replace

        it = self.its.get((app_id, iid))
        if it is None:
            raise NotFound("no")
        r = read_answer(it, body, reason_required=reason_required)
        match decide_answer(it, r, key=key, now=datetime.now(UTC)):
            case Repeated():
                return Settled(interaction=it, repeated=True)
            case Refused(error):
                raise error
            case Settle(state, resp):
                it = replace(
                    it,
                    state=state,
                    response=resp,
                    answer_key=key,
                    settled_by=by,
                    settled_at=datetime.now(UTC),
                )
                self.its[app_id, iid] = it
                self.say(
                    app_id,
                    it.chat_id,
                    UiToolCompleted(
                        eventId=iid,
                        ui_tool_id="approval",
                        display="inline",
                        status=state.value,
                        summary="ok",
                    ),
                    by=by,
                )
                return Settled(interaction=it)

    async def preferences(self, app_id, person):
        return self.prefs

    async def put_preferences(self, app_id, person, v):
        self.prefs |= v
        return self.prefs

    async def verify_audit(self, app_id):
        return []

    async def audit(self, app_id, **k):
        return []

    async def artifact(self, app_id, aid):
        return None
