import type { OpenChannel } from './upload-ports.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const liveEveryMs = 500

/** What the tabs say to each other. */
export type TabMessage<Command, Live> =
  | { type: 'command'; id: string; command: Command }
  | { type: 'done'; id: string }
  | { type: 'hello' }
  | { type: 'leading' }
  | { type: 'live'; live: Live }

/** What one tab does with what it hears. */
export interface TabDuties<Command, Live> {
  open: OpenChannel<TabMessage<Command, Live>>
  /** An id that no other tab gives. */
  newId: () => string
  /** Runs a command, in the tab that leads. What it must remember is kept when it returns. */
  run: (command: Command) => void
  /** In the tab that leads: a tab was opened, came back, or signed in. */
  onHello: () => void
  /** In a tab that follows: what the leader last told. */
  onLive: (live: Live) => void
}

/** One tab's way to the tab that leads, be it itself. */
export interface TabCommands<Command, Live> {
  /** Has the command run by the tab that leads, now or by the next one; never twice. */
  send(command: Command): void
  /** From now on this tab leads. */
  lead(): void
  /** Tells the leader that this tab is here; what it has not taken is sent again. */
  hello(): void
  /** From the leader to those that follow, at most every 500 ms; the last one always arrives. */
  tell(live: Live): void
}

/**
 * Commands over the tabs. A tab that follows keeps a command until the leader says that it ran, and
 * sends it again when there is a new leader; one that becomes the leader runs what it kept. Commands
 * of one tab keep their order. The leader remembers what it ran, and every tab hears of it, so that
 * whoever leads next knows it as well.
 */
export const createTabCommands = <Command, Live>({
  open,
  newId,
  run,
  onHello,
  onLive,
}: TabDuties<Command, Live>): TabCommands<Command, Live> => {
  let leads = false
  const kept = new Map<string, Command>()
  /** One short id for each thing that a person did since the tab was opened. */
  const ran = new Set<string>()
  let untold: { live: Live } | null = null
  let resting = false

  const sendKept = () => {
    for (const [id, command] of kept) channel.post({ type: 'command', id, command })
  }

  const runOnce = (id: string, command: Command) => {
    try {
      if (!ran.has(id)) {
        ran.add(id)
        run(command)
      }
    } finally {
      channel.post({ type: 'done', id })
    }
  }

  const hear = (message: TabMessage<Command, Live>) => {
    if (message.type === 'done') {
      ran.add(message.id)
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
      if (leads) return run(command)
      const id = newId()
      kept.set(id, command)
      channel.post({ type: 'command', id, command })
    },
    lead: () => {
      leads = true
      channel.post({ type: 'leading' })
      for (const [id, command] of kept) runOnce(id, command)
      kept.clear()
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
