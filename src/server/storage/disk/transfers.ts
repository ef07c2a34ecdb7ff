import type { SharedLimit } from '../../http/limits.ts'

export const transferDirections = ['download', 'upload'] as const
export type TransferDirection = (typeof transferDirections)[number]

/**
 * How a transfer ended. `cut`: the client disconnected, or a server shutdown closed the connection.
 * `refused`: the client got an `AppError`. `failed`: the disk failed.
 */
export const transferOutcomes = ['complete', 'cut', 'refused', 'failed'] as const
export type TransferOutcome = (typeof transferOutcomes)[number]

export interface TransferMeter {
  /** Counts file bytes received or sent. */
  addBytes(direction: TransferDirection, count: number): void
  /** Counts the start of a transfer. Call the returned function when it ends. */
  startTransfer(direction: TransferDirection): (outcome: TransferOutcome) => void
}

export const noMeter: TransferMeter = { addBytes() {}, startTransfer: () => () => undefined }

/**
 * Maximum numbers of concurrent transfers. At these limits the process needs less than 250 MiB of
 * memory, even if all clients are slow.
 */
export const transferLimits = {
  // Downloads that wait for slow clients use up to 20 MiB of chunks in total. The others use 64 KiB
  // each, so 512 downloads use 51 MiB. The guaranteed 16 suffice for a download manager, which
  // opens up to 16 connections.
  download: { total: 512, guaranteed: 16 },
  // An upload buffers at most 600 KiB between socket and disk, and less than 100 KiB if its client
  // is slower than the disk. The guaranteed 16 suffice for a browser, which sends five parts, or
  // five small files, in parallel.
  upload: { total: 256, guaranteed: 16 },
} satisfies Record<TransferDirection, SharedLimit>
