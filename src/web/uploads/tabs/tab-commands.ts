import type { OpenChannel } from '../upload-ports.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const liveEveryMs = 500
/** So long a leader that runs may take to say that it has got a command. */
const deafAfterMs = 10_000

/** What the tabs say to each other. */
export type TabMessage<Command, Live> =
  | { type: 'command'; id: string; command: Command }
  /** It was heard, and is being run. */
  | { type: 'taken'; id: string }
  | { type: 'done'; id: string }
  | { type: 'hello' }
  | { type: 'leading' }
  | { type: 'live'; live: Live }

/** What one tab does with what it hears. */
export interface TabCommandsDeps<Command, Live> {
  open: OpenChannel<TabMessage<Command, Live>>
  /** An id that no other tab gives. */
  newId: () => string
  /**
   * Runs a command, in the tab that leads. What it must remember is kept when it is done. Where the
   * leader goes in the middle of it, the next one runs it again: that must do no harm.
   */
  run: (command: Command) => void | Promise<void>
  /** In the tab that leads: a tab was opened, came back, or signed in. */
  onHello: () => void
  /** In a tab that follows: what the leader last told. */
  onLive: (live: Live) => void
  /** In a tab that follows: nobody has taken a command for 10 s. */
  onDeaf: () => void
}

/** One tab's way to the tab that leads, be it itself. */
export interface TabCommands<Command, Live> {
  /** Has the command run to its end once by the tab that leads, now or by the next one. */
  send(command: Command): void
  /** From now on this tab leads. */
  lead(): void
  /** From now on another tab leads. */
  follow(): void
  /** Tells the leader that this tab is here; what it has not taken is sent again. */
  hello(): void
  /** From the leader to those that follow, at most every 500 ms; the last one always arrives. */
  tell(live: Live): void
}

/**
 * Commands over the tabs. A tab that follows keeps a command until the leader says that it is done, and
 * sends it again when there is a new leader; one that becomes the leader runs what it kept. Commands
 * of one tab begin in their order. The leader remembers what it runs, and every tab hears of what was
 * done, so that whoever leads next knows it as well.
 */
export const createTabCommands = <Command, Live>({
  open,
  newId,
  run,
  onHello,
  onLive,
  onDeaf,
}: TabCommandsDeps<Command, Live>): TabCommands<Command, Live> => {
  let leads = false
  const kept = new Map<string, Command>()
  /** How to stop waiting for a sign that a command was heard. */
  const unheard = new Map<string, () => void>()
  const running = new Set<string>()
  /** One short id for each thing that a person did since the tab was opened. */
  const done = new Set<string>()
  let untold: { live: Live } | null = null
  let resting = false

  const sendKept = () => {
    for (const [id, command] of kept) channel.post({ type: 'command', id, command })
  }

  const waitForSign = (id: string) => {
    const timer = setTimeout(() => {
      if (leads) return
      onDeaf()
      waitForSign(id)
    }, deafAfterMs)
    unheard.set(id, () => clearTimeout(timer))
  }
  const isHeard = (id: string) => {
    unheard.get(id)?.()
    unheard.delete(id)
  }

  const finish = (id: string) => {
    running.delete(id)
    done.add(id)
    channel.post({ type: 'done', id })
  }
  const runOnce = (id: string, command: Command) => {
    if (done.has(id)) return finish(id)
    channel.post({ type: 'taken', id })
    if (running.has(id)) return
    running.add(id)
    let work: void | Promise<void> | null = null
    try {
      work = run(command)
    } finally {
      if (!work) finish(id)
    }
    if (work) void work.finally(() => finish(id))
  }

  const hear = (message: TabMessage<Command, Live>) => {
    if (message.type === 'taken') isHeard(message.id)
    else if (message.type === 'done') {
      isHeard(message.id)
      done.add(message.id)
      kept.delete(message.id)
    } else if (message.type === 'leading') sendKept()
    else if (message.type === 'live') onLive(message.live)
    else if (!leads) return
    else if (message.type === 'command') runOnce(message.id, message.command)
    else onHello()
  }

  const channel = open(hear)

  const tellLast = () => {
    resting = untold !== null
    if (!untold) return
    channel.post({ type: 'live', live: untold.live })
    untold = null
    setTimeout(tellLast, liveEveryMs)
  }

  return {
    send: (command) => {
      if (leads) return void run(command)
      const id = newId()
      kept.set(id, command)
      waitForSign(id)
      channel.post({ type: 'command', id, command })
    },
    lead: () => {
      leads = true
      channel.post({ type: 'leading' })
      for (const [id, command] of kept) {
        isHeard(id)
        runOnce(id, command)
      }
      kept.clear()
    },
    follow: () => {
      leads = false
    },
    hello: () => {
      if (leads) return onHello()
      sendKept()
      channel.post({ type: 'hello' })
    },
    tell: (live) => {
      untold = { live }
      if (!resting) tellLast()
    },
  }
}
