import { coalesce, type Timers } from '../timers.ts'
import type { OpenChannel } from '../upload-ports.ts'

/**
 * The leading tab, which runs all uploads, sends its state to the other tabs at most this often.
 * Spec §9: progress is shown every 500 ms.
 */
const liveEveryMs = 500
/** The leading tab acknowledges a command (`taken`) within this time unless it hangs. */
const answerWithinMs = 10_000

/** The messages between tabs. */
export type TabMessage<Command, Live> =
  | { type: 'command'; id: string; command: Command }
  /** The leading tab has received the command and runs it. */
  | { type: 'taken'; id: string }
  | { type: 'done'; id: string }
  | { type: 'hello' }
  | { type: 'leading' }
  | { type: 'live'; live: Live }

/** What this module needs from the tab that it runs in. */
export interface TabCommandsDeps<Command, Live> {
  open: OpenChannel<TabMessage<Command, Live>>
  timers: Timers
  /** Returns an id that no other tab returns. */
  newId: () => string
  /**
   * Called in the leading tab when another tab begins to follow it, and when any tab becomes
   * visible.
   */
  onHello: () => void
  /** Called in the other tabs with the state that the leading tab sent. */
  onLive: (live: Live) => void
  /** Called when no leading tab has acknowledged a command of this tab for 10 s. */
  onNoAnswer: () => void
}

/**
 * Runs a command in the leading tab, which runs all uploads. The command has ended when its result
 * is saved, so that the result stays if the tab is closed. If that tab closes in the middle of a
 * command, the next leading tab runs the command again, which must do no harm.
 */
type RunCommand<Command> = (command: Command) => void | Promise<void>

/** Brings commands from any tab to the leading tab, which runs them. */
export interface TabCommands<Command, Live> {
  /**
   * Makes the leading tab run the command. If it is closed first, the next leading tab runs the
   * command.
   */
  send(command: Command): void
  /** Makes this tab the leader. It then runs the commands of all tabs. */
  lead(run: RunCommand<Command>): void
  /** Makes this tab run no commands from now on, because another tab leads. */
  follow(): void
  /**
   * Tells the leader that this tab exists, and sends it again the commands that have not ended. In
   * the leading tab it only calls `onHello`.
   */
  hello(): void
  /**
   * Sends the state of the uploads to the other tabs. Call it in the leading tab only. It sends at
   * most once every 500 ms, and always sends the last state.
   */
  tell(live: Live): void
}

/**
 * Creates the commands of a tab. A tab that does not lead keeps each command until the leader
 * reports its end. It sends the command again to a new leader, or runs the command when it becomes
 * the leader itself. The leader starts the commands of one tab in the order in which that tab gave
 * them. Every tab learns which commands have ended, so that the next leader does not run them
 * again.
 */
export function createTabCommands<Command, Live>({
  open,
  timers,
  newId,
  onHello,
  onLive,
  onNoAnswer,
}: TabCommandsDeps<Command, Live>): TabCommands<Command, Live> {
  /** Runs the commands of all tabs. Null unless this tab leads. */
  let run: RunCommand<Command> | null = null
  const kept = new Map<string, Command>()
  /** For each command that no leading tab has acknowledged, a function that stops its timer. */
  const untaken = new Map<string, () => void>()
  const running = new Set<string>()
  /**
   * The ids of the commands of all tabs that have ended. They are never removed, because they are
   * short and few.
   */
  const done = new Set<string>()
  /** The last state that this tab was given to send; null before the first one. */
  let last: { live: Live } | null = null

  const send = (command: Command) => {
    if (run) return void run(command)
    const id = newId()
    kept.set(id, command)
    expectTaken(id)
    channel.post({ type: 'command', id, command })
  }

  const expectTaken = (id: string): void => {
    const stopWaiting = timers.after(answerWithinMs, () => {
      if (run) return
      onNoAnswer()
      expectTaken(id)
    })
    untaken.set(id, stopWaiting)
  }

  const hear = (message: TabMessage<Command, Live>): void => {
    if (message.type === 'taken') isTaken(message.id)
    else if (message.type === 'done') isDone(message.id)
    else if (message.type === 'leading') sendKept()
    else if (message.type === 'live') onLive(message.live)
    else if (!run) return
    else if (message.type === 'command') runOnce(message.id, message.command, run)
    else onHello()
  }

  const isTaken = (id: string): void => {
    untaken.get(id)?.()
    untaken.delete(id)
  }

  const isDone = (id: string): void => {
    isTaken(id)
    done.add(id)
    kept.delete(id)
  }

  const sendKept = (): void => {
    for (const [id, command] of kept) channel.post({ type: 'command', id, command })
  }

  const runOnce = (id: string, command: Command, runNow: RunCommand<Command>) => {
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

  const finish = (id: string): void => {
    running.delete(id)
    done.add(id)
    channel.post({ type: 'done', id })
  }

  const channel = open(hear)
  const tellSoon = coalesce(timers, liveEveryMs, () => {
    if (last) channel.post({ type: 'live', live: last.live })
  })

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
      last = { live }
      tellSoon()
    },
  }
}
