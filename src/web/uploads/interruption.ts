import type { StorageAnswer } from './transfer/storage-request.ts'

/**
 * Why an attempt to send bytes failed: no answer came, or the server answered that it cannot serve
 * now (5xx).
 */
export type Interruption = 'no-answer' | 'not-ready'

/** The text that a person reads while an upload waits for its next attempt. */
export const interruptionTexts: Record<Interruption, string> = {
  'no-answer': 'Connection lost, trying again',
  'not-ready': 'The server is not ready, trying again',
}

export function interruptionOf(answer: StorageAnswer): Interruption {
  return answer.kind === 'answer' && answer.status >= 500 ? 'not-ready' : 'no-answer'
}
