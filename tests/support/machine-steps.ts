import type { UploadEffect, UploadEvent } from '../../src/web/uploads/engine/upload-events.ts'
import { advance } from '../../src/web/uploads/engine/upload-machine.ts'
import type { UploadRecord, UploadTicket } from '../../src/web/uploads/records/upload-record.ts'
import { uploadRecord, uploadTicket } from './upload-facts.ts'

/** When the uploads of these tests began. */
export const start = 1_752_314_400_000

/** The server's response to the start of an upload in three parts. */
export const ticket: UploadTicket = { ...uploadTicket(), parts: { size: 400, count: 3 } }

/** An upload of 1,000 bytes that was just added. */
export function record(changes: Partial<UploadRecord> = {}): UploadRecord {
  return uploadRecord({ fileName: 'a.txt', lastActivity: start, ...changes })
}

/** The same upload while it is sent. */
export const uploading = record({ status: 'uploading', ticket, uploadStartTime: start })

/** Applies an event one second after the upload began. Returns the record and the effects. */
export function stepOf(before: UploadRecord, event: UploadEvent, now = start + 1000) {
  return advance(before, event, now)
}

export function types(effects: readonly UploadEffect[]) {
  return effects.map(({ type }) => type)
}
