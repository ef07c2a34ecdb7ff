import { shortName } from '../../ui/file-name.tsx'
import { isUnderWay } from '../engine/upload-machine.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'

const spokenNameLength = 60

/** A change that is announced: an upload got this status, or goes on. */
type News = 'resumed' | Exclude<UploadStatus, 'pending' | 'uploading'>

/** How each kind of news is announced. Several kinds are announced in this order. */
const phrases: Record<News, string> = {
  resumed: 'Upload resumed',
  paused: 'Upload paused',
  completed: 'Upload completed',
  failed: 'Upload failed',
}

function newsOf(before: UploadStatus | undefined, after: UploadStatus): News | null {
  if (before === after) return null
  if (after !== 'pending' && after !== 'uploading') return after
  // The start of a waiting upload is not announced.
  return before === 'paused' || before === 'failed' ? 'resumed' : null
}

function startText(uploads: readonly UploadRecord[]): string {
  const [one, ...others] = uploads
  if (one === undefined || others.length > 0) return `Uploading ${uploads.length} files`
  return `Uploading ${shortName(one.fileName, spokenNameLength)}`
}

/**
 * Returns the text with which a screen reader announces how uploads changed from `before` to
 * `after`: one upload by its name, several by their number. Null when only progress changed.
 * @param told changes that the page announces elsewhere, such as by toasts. They are left out.
 */
export function spokenChange(
  before: readonly UploadRecord[],
  after: readonly UploadRecord[],
  told: readonly UploadStatus[],
): string | null {
  const known = new Map(before.map(({ id, status }) => [id, status]))
  const found = after.flatMap((record) => {
    const news = newsOf(known.get(record.id), record.status)
    return news === null || told.some((status) => status === news) ? [] : [{ record, news }]
  })
  const [one, ...others] = found
  if (one === undefined) {
    const began = !before.some(isUnderWay)
    const running = after.filter(isUnderWay)
    return began && running.length > 0 ? startText(running) : null
  }
  if (others.length === 0) {
    const { fileName, error } = one.record
    const reason = one.news === 'failed' && error !== null ? `. ${error}` : ''
    return `${shortName(fileName, spokenNameLength)}: ${phrases[one.news]}${reason}`
  }
  return Object.entries(phrases)
    .map(([news, phrase]) => ({ phrase, count: found.filter((it) => it.news === news).length }))
    .filter(({ count }) => count > 0)
    .map(({ phrase, count }) => `${phrase}: ${count}`)
    .join(', ')
}
