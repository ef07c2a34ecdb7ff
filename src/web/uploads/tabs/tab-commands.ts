import type { OpenChannel } from '../upload-ports.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const liveEveryMs = 500
/** A leader that runs says within this time that it has got a command. */
const deafAfterMs = 10_000

/** What the tabs say to each other. */
export type TabMessage<Command, Live> =
  | { type: 'command'; id: string; command: Command }
  /** The leader has got it, and runs it. */
  | { type: 'taken'; id: string }
  | { type: 'done'; id: string }
  | { type: 'hello' }
  | { type: 'leading' }
  | { type: 'live'; live: Live }

/** What a tab does with the messages that it gets. */
export interface TabCommandsDeps<Command, Live> {
  open: OpenChannel<TabMessage<Command, Live>>
  /** An id that no other tab gives. */
  newId: () => string
  /** In the tab that leads: a tab was opened, came back, or signed in. */
  onHello: () => void
  /** In a tab that follows: the leader tells this. */
  onLive: (live: Live) => void
  /** In a tab that follows: nobody has taken a command for 10 s. */
  onDeaf: () => void
}

/**
 * Runs a command, in the tab that leads. It is done once what came of it would outlive that tab. Where
 * the leader goes in the middle of a command the next one runs it again, which must do no harm.
 */
type RunCommand<Command> = (command: Command) => void | Promise<void>

/** Carries commands from any tab to the one that leads. */
export interface TabCommands<Command, Live> {
  /** Has the command run once, by the tab that leads now or by the next one. */
  send(command: Command): void
  /** From now on this tab leads, and runs the commands of all tabs. */
  lead(run: RunCommand<Command>): void
  /** From now on another tab leads. */
  follow(): void
  /** Tells the leader that this tab is here, and sends again what the leader has not done. */
  hello(): void
  /** The leader tells those that follow, every 500 ms at most. The last one always arrives. */
  tell(live: Live): void
}

/**
 * A tab that follows keeps a command until the leader says that it is done. It sends the command again
 * when there is a new leader, and runs it when it becomes the leader itself. Commands of one tab begin in
 * their order. Every tab hears which commands were done, so that the next leader does not run them again.
 */
export function createTabCommands<Command, Live>({
  open,
  newId,
  onHello,
  onLive,
  onDeaf,
}: TabCommandsDeps<Command, Live>): TabCommands<Command, Live> {
  /** While this tab leads. */
  let run: RunCommand<Command> | null = null
  const kept = new Map<string, Command>()
  /** How to stop the timer of each command that nobody has taken yet. */
  const untaken = new Map<string, () => void>()
  const running = new Set<string>()
  /** The ids of commands that were done, here or elsewhere. They are short, and few. */
  const done = new Set<string>()
  let untold: { live: Live } | null = null
  let isResting = false
  const channel = open(hear)

  function send(command: Command) {
    if (run) return void run(command)
    const id = newId()
    kept.set(id, command)
    expectTaken(id)
    channel.post({ type: 'command', id, command })
  }

  function expectTaken(id: string): void {
    const timer = setTimeout(() => {
      if (run) return
      onDeaf()
      expectTaken(id)
    }, deafAfterMs)
    untaken.set(id, () => clearTimeout(timer))
  }

  function hear(message: TabMessage<Command, Live>): void {
    if (message.type === 'taken') isTaken(message.id)
    else if (message.type === 'done') isDone(message.id)
    else if (message.type === 'leading') sendKept()
    else if (message.type === 'live') onLive(message.live)
    else if (!run) return
    else if (message.type === 'command') runOnce(message.id, message.command, run)
    else onHello()
  }

  function isTaken(id: string): void {
    untaken.get(id)?.()
    untaken.delete(id)
  }

  function isDone(id: string): void {
    isTaken(id)
    done.add(id)
    kept.delete(id)
  }

  function sendKept(): void {
    for (const [id, command] of kept) channel.post({ type: 'command', id, command })
  }

  function runOnce(id: string, command: Command, runNow: RunCommand<Command>) {
    if (done.has(id)) return finish(id)
    channel.post({ type: 'taken', id })
    if (running.has(id)) return
    running.add(id)
    let work: void | Promise<void> | null = null
    try {
      work = runNow(command)
    } finally {
      if (!work) finish(id)
    }
    if (work) void work.finally(() => finish(id))
  }

  function finish(id: string): void {
    running.delete(id)
    done.add(id)
    channel.post({ type: 'done', id })
  }

  function tellLast(): void {
    isResting = untold !== null
    if (!untold) return
    channel.post({ type: 'live', live: untold.live })
    untold = null
    setTimeout(tellLast, liveEveryMs)
  }

  return {
    send,
    lead: (runNow) => {
      run = runNow
      channel.post({ type: 'leading' })
      for (const [id, command] of kept) {
        isTaken(id)
        runOnce(id, command, runNow)
      }
      kept.clear()
    },
    follow: () => {
      run = null
    },
    hello: () => {
      if (run) return onHello()
      sendKept()
      channel.post({ type: 'hello' })
    },
    tell: (live) => {
      untold = { live }
      if (!isResting) tellLast()
    },
  }
}
