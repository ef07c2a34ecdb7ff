import type { SharedLimit } from '../../http/limits.ts'

export const transferDirections = ['download', 'upload'] as const
export type TransferDirection = (typeof transferDirections)[number]

/**
 * How a transfer ended. `cut`: the client left, or a server that closes has ended the connection.
 * `refused`: the client got an `AppError`. `failed`: the disk failed.
 */
export const transferOutcomes = ['complete', 'cut', 'refused', 'failed'] as const
export type TransferOutcome = (typeof transferOutcomes)[number]

/** Is told about the transfers of this server, to count them. */
export interface TransferMeter {
  /** Counts bytes of files that are received or sent. */
  bytes(direction: TransferDirection, count: number): void
  /** Counts a transfer that begins. Call the returned function when it ends. */
  begin(direction: TransferDirection): (outcome: TransferOutcome) => void
}

/** Counts nothing. */
export const noMeter: TransferMeter = { bytes() {}, begin: () => () => undefined }

/**
 * How many transfers may run at the same time. With as many slow clients, the process needs less
 * than 250 MiB of memory.
 */
export const transferLimits = {
  // A download that waits for its client keeps 64 KiB, so 512 of them keep 32 MiB. A download
  // manager opens up to 16 connections.
  download: { total: 512, always: 16 },
  // An upload keeps at most 600 KiB between socket and disk, and less than 100 KiB if its client is
  // slower than the disk. The browser sends five parts, or five small files, in parallel.
  upload: { total: 256, always: 16 },
} satisfies Record<TransferDirection, SharedLimit>
