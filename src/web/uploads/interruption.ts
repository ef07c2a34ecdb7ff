import type { StorageAnswer } from './transfer/send.ts'

/** Why a try was lost: nobody answered, or a server that cannot serve now, as with a full disk. */
export type Interruption = 'no-answer' | 'not-ready'

/** What is said of an upload of which a try was lost. */
export const interruptionTexts: Record<Interruption, string> = {
  'no-answer': 'Connection lost, trying again',
  'not-ready': 'The server is not ready, trying again',
}

export const interruptionOf = (answer: StorageAnswer): Interruption =>
  answer.kind === 'answer' && answer.status >= 500 ? 'not-ready' : 'no-answer'
