// Every text of the console, in one place. Plain, short and kind.

const COUNT = new Intl.PluralRules("en");
const many = (n: number, one: string, more: string) => `${n} ${COUNT.select(n) === "one" ? one : more}`;

export const messages = {
  app: "Sayso",
  skip: "Skip to the content",
  loading: "Loading…",
  tryAgain: "Try again",

  nav: {
    label: "Main",
    inbox: "Inbox",
    waiting: (n: number) => many(n, "waits for an answer", "wait for an answer"),
    menu: "Menu",
    newChat: "New chat",
    recent: "Recent chats",
    noChats: "No chats yet.",
    moreChats: "Show more chats",
    keyboard: "Keyboard",
  },

  chatState: {
    waits: "Waits for you",
    works: "Working…",
    failed: "Stopped with an error",
  },

  welcome: {
    title: "What shall we do?",
    lead: "The agent works for you, and asks before it does anything that matters.",
    agent: "Agent",
    noAgents: "No agent is running here. Start one with “sayso serve module:app”.",
  },

  chat: {
    untitled: "New chat",
    log: "Conversation",
    empty: "Nothing has been said yet.",
    earlier: "Show earlier messages",
    loadingEarlier: "Loading earlier messages…",
    latest: "Jump to the latest",
    you: "You",
    agent: "Agent",
    system: "Note",
    queued: "Waits until the agent is done",
    interrupted: "Stopped here",
    cancel: "Cancel run",
    cancelling: "Cancelling…",
    beside: "Beside the chat",
    shownBeside: (title: string) => `${title} is shown beside the chat.`,
    goThere: "Go there",
    back: "Back to the chat",
    gone: "This chat cannot be opened",
    waitingFor: (n: number) => many(n, "card waits for your answer", "cards wait for your answer"),
    run: {
      ready: "Starting…",
      running: "Working…",
      waiting: "Waits for you",
      completed: "Done",
      failed: "Stopped with an error",
      cancelled: "Cancelled",
    } as Record<string, string>,
    failedWith: (why: string) => `The agent stopped with an error: ${why}`,
    cancelledBecause: (why: string) => `Cancelled: ${why}`,
  },

  composer: {
    label: "Message",
    placeholder: "Write to the agent",
    send: "Send",
    sending: "Sending…",
    held: "Will be sent as soon as the connection is back.",
    answers: (title: string) => `This answers “${title}”.`,
    open: "The agent is not done. Send this",
    queue: "when it is done",
    supersede: "now, and stop it",
    hint: "Enter sends, Shift+Enter starts a new line.",
  },

  side: {
    progress: "Progress",
    results: "Results",
    show: "Progress and results",
  },

  artifact: {
    version: (n: number) => `Version ${n}`,
    changedBy: (who: string) => `changed by ${who}`,
    edit: "Edit",
    editing: (title: string) => `Content of ${title}`,
    save: "Save",
    saving: "Saving…",
    discard: "Discard",
    notJson: "This is not valid JSON. Correct it, then save.",
    conflict: (n: number) => `Someone saved version ${n} while you were writing. Your text is kept here.`,
    mine: (n: number) => `Save mine over version ${n}`,
    theirs: "Take theirs",
  },

  connection: {
    region: "Connection",
    lost: "No connection. What you write is kept, and sent when it is back.",
    retry: "Try now",
    closed: "This page is no longer connected.",
    reload: "Reload",
  },

  inbox: {
    title: "Inbox",
    lead: "What agents wait for. The oldest first.",
    empty: "Nothing waits for you.",
    emptyLead: "When an agent needs a person, it shows up here.",
    filter: "Show",
    all: "All",
    kinds: {
      approval: "Approvals",
      exchanges: "Tables",
      options: "Questions",
      form: "Forms",
      confirmation: "Confirmations",
      uncertain_effect: "Unclear effects",
      ui_tool: "Others",
    } as Record<string, string>,
    openChat: "Open the chat",
    openOne: "Link to this",
    from: (agent: string) => agent || "An agent",
  },

  interaction: {
    title: "One answer is needed",
    settledTitle: "Already answered",
    missing: "There is nothing here",
    missingLead: "The link may be old, or it belongs to another account.",
  },

  help: {
    title: "Keyboard",
    next: "Go to the next card that waits",
    send: "Send the message",
    line: "New line in a message",
    use: "Use the shortcut Alt+Shift+J",
    close: "Close",
  },

  missing: {
    title: "There is no such page",
    lead: "The address may have a typing error.",
    home: "Go to your chats",
  },

  signIn: {
    title: "Sign in",
    lead: "This server asks for your access token.",
    token: "Access token",
    submit: "Sign in",
  },

  problem: {
    unknown: "Something went wrong on this page. Reload it; nothing you sent is lost.",
  },

  announce: {
    needsAnswer: (title: string) => `Needs your answer: ${title}`,
    waiting: (n: number) => `${many(n, "card waits", "cards wait")} for your answer`,
    answering: "The agent is answering",
    complete: "The answer is complete",
    cancelled: "The run is cancelled",
    failed: "The agent stopped with an error",
    lost: "Connection lost. Trying again.",
    back: "Connected again",
    notSent: (why: string) => `Not sent. ${why}`,
    expiresSoon: (title: string) => `Less than two minutes left to answer: ${title}`,
    earlierLoaded: "Earlier messages are shown",
    saved: "Saved",
  },
};
