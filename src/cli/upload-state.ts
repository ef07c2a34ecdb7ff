import { createHash, randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { dayInMs } from '../shared/rules/format/units.ts'
import type { UploadRecord } from '../web/uploads/records/upload-record.ts'
import { uploadsDir } from './settings.ts'

/** The unfinished uploads of one link. */
export interface SavedUploads {
  /** The idempotency key of the link's start. */
  id: string
  /** Null until the server has started the link. */
  shortCode: string | null
  records: UploadRecord[]
}

/** Files of uploads that nobody continued are removed after this time. */
const maxAgeMs = 7 * dayInMs

/** Keeps the state of one link's uploads in a file, so that the same command can continue them. */
export class UploadState {
  readonly #file: string

  /** @param command identifies the server, the account, the files and the options. */
  constructor(command: unknown) {
    const hash = createHash('sha256').update(JSON.stringify(command)).digest('hex')
    this.#file = join(uploadsDir, `${hash}.json`)
  }

  /** Returns what an earlier run has saved, or null. */
  load(): SavedUploads | null {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8'))
    } catch {
      return null
    }
  }

  save(uploads: SavedUploads): void {
    mkdirSync(uploadsDir, { recursive: true, mode: 0o700 })
    const temporaryFile = `${this.#file}.${process.pid}`
    writeFileSync(temporaryFile, JSON.stringify(uploads), { mode: 0o600 })
    renameSync(temporaryFile, this.#file)
  }

  remove(): void {
    rmSync(this.#file, { force: true })
  }
}

export function createId(): string {
  return randomBytes(16).toString('hex')
}

export function removeOldStates(now: number): void {
  try {
    for (const name of readdirSync(uploadsDir)) {
      const file = join(uploadsDir, name)
      if (now - statSync(file).mtimeMs > maxAgeMs) rmSync(file)
    }
  } catch {
    // There are none, or another process has removed one.
  }
}
