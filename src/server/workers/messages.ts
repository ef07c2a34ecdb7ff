/** What a worker tells the primary process, once. */
export type WorkerReport =
  /** It serves. The greeting is for the person who started the server. */
  | { kind: 'ready'; greeting: Greeting }
  /** It cannot start. The message names the cure. */
  | { kind: 'fault'; message: string }

/** The primary process sends this to a worker that must finish its work and stop. */
export const stopOrder = 'stop'

export interface Greeting {
  text: string
  /** Whether this process has made the administrator, so that the text shows the password. */
  isFirst: boolean
}
