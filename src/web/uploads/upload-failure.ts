/** An answer that is not the one hoped for. All null: nothing came back at all. */
export interface Refusal {
  status: number | null
  code: string | null
  /** The message field of the error body. */
  message: string | null
}

/** What a call came to. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

/** Where an upload can fail: before its bytes leave, on their way, or when they become a file. */
export type Stage = 'start' | 'transfer' | 'confirm'

/** Spec §4: the error of an upload that the user ends. */
export const cancelledByUser = 'Cancelled by user'

/** The words of spec §8 for a call that failed: the server's own message where it sent one. */
export const refusalText = (stage: 'start' | 'confirm', refusal: Refusal): string =>
  refusal.message?.trim() ||
  (stage === 'start' ? 'Failed to get upload URL' : 'Failed to confirm upload')

/** True when what comes after this file in the queue would be refused for the same reason. */
export const stopsTheRest = ({ status, code }: Refusal): boolean =>
  status === 401 || code === 'TIER_FILE_COUNT'

/** True when confirming again may work: confirming twice gives one file, so nothing is risked. */
export const mayPass = ({ status }: Refusal): boolean =>
  status === null || status === 408 || status === 429 || status >= 500

export type FailureNotice =
  | { kind: 'inline'; text: string }
  | { kind: 'toast'; title: 'Upload Failed' | 'Upload Error'; description: string }

/**
 * How a failed upload is told. Spec §5: an error containing 'tier' or 'Upgrade' is shown inline
 * instead of as a toast. Spec §8: 'Upload Error' for what fails before the transfer, 'Upload
 * Failed' from then on.
 */
export const failureNotice = (stage: Stage, fileName: string, reason: string): FailureNotice => {
  if (reason.includes('tier') || reason.includes('Upgrade')) return { kind: 'inline', text: reason }
  return stage === 'start'
    ? { kind: 'toast', title: 'Upload Error', description: reason || 'Upload failed' }
    : {
        kind: 'toast',
        title: 'Upload Failed',
        description: reason || `Failed to upload ${fileName}`,
      }
}
