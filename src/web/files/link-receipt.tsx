import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import type { LinkFile } from '../../shared/contract/links.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { exactTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { removalDueAt } from '../../shared/rules/links/receipt.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { copyText } from './copy-links.tsx'
import { linkDates } from './link-dates.ts'
import type { ListedLink } from './listed-link.ts'

function getReceiptTimes(link: ListedLink, canRenew: boolean): ReceiptTimes {
  const { purgeDueAt, purgedAt } = link
  const dates = linkDates(link)
  const recordedDueAt = purgeDueAt === null ? null : new Date(purgeDueAt)
  return {
    storedAt: dates.createdAt,
    dueAt: removalDueAt({ ...dates, purgeDueAt: recordedDueAt }, canRenew),
    purgedAt: purgedAt === null ? null : new Date(purgedAt),
  }
}

export interface LinkReceiptProps {
  link: ListedLink
  /** True if the owner's tier can renew links. */
  canRenew: boolean
  now: Date
}

/**
 * The receipt for a link's files: when they were stored, when their removal is due, when the
 * removal was confirmed, and the SHA-256 of a single file. The receipt can be copied as text, with
 * all files.
 */
export function LinkReceipt({ link, canRenew, now }: LinkReceiptProps) {
  const times = getReceiptTimes(link, canRenew)
  const sha256 = link.files.length === 1 ? link.files[0]?.sha256 : null
  const { storedAt, dueAt, purgedAt } = times
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h3 className="font-[600] text-sm leading-normal tracking-normal">Receipt</h3>
        <div className="-mr-2.5">
          <Button
            size="small"
            variant="quiet"
            icon={<Copy />}
            onClick={() =>
              void copyText(receiptText(link.files, times, window.location.origin), 'receipt', {
                title: 'Receipt copied',
                description: link.name,
              })
            }
          >
            Copy receipt
            <span className="sr-only">of {link.name}</span>
          </Button>
        </div>
      </div>
      <dl className="mt-1 grid gap-1.5 text-sm tabular-nums">
        <DetailRow name="Stored">
          <Timestamp at={storedAt} now={now} />
        </DetailRow>
        {dueAt === null ? null : (
          <DetailRow name="Removal due">
            <Timestamp at={dueAt} now={now} />
          </DetailRow>
        )}
        {purgedAt === null ? null : (
          <DetailRow name="Bytes deleted">
            <Timestamp at={purgedAt} now={now} />
            <span className="block text-muted">Confirmed by storage.</span>
          </DetailRow>
        )}
        {sha256 ? (
          <div>
            <dt className="text-muted">SHA-256</dt>
            <dd>
              <Checksum sha256={sha256} />
            </dd>
          </div>
        ) : null}
      </dl>
    </div>
  )
}

/** A name-value pair for use in a `dl`. */
export function DetailRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A timestamp with seconds, in the browser's time zone. */
export function Timestamp({ at, now }: { at: Date; now: Date }) {
  return <time dateTime={at.toISOString()}>{exactTimestampText(at, now)}</time>
}

function Checksum({ sha256 }: { sha256: string }) {
  return (
    <div className="flex items-center justify-between gap-2">
      <code className="max-w-[32ch] select-all font-mono text-sm wrap-anywhere">{sha256}</code>
      <IconButton
        label="Copy checksum"
        icon={<Copy />}
        onClick={() =>
          void copyText(sha256, 'checksum', { title: 'Checksum copied', description: sha256 })
        }
      />
    </div>
  )
}

/**
 * The times on a receipt. `dueAt` is null if unknown, and `purgedAt` is null until the file is
 * purged.
 */
export interface ReceiptTimes {
  storedAt: Date
  dueAt: Date | null
  purgedAt: Date | null
}

/** Formats a receipt as text, with times in UTC. Omits unknown values. */
export function receiptText(
  files: readonly Pick<LinkFile, 'name' | 'size' | 'sha256'>[],
  { storedAt, dueAt, purgedAt }: ReceiptTimes,
  origin: string,
): string {
  const lines = [
    `Receipt from ${origin}`,
    ...files.flatMap(({ name, size, sha256 }) => [
      `File: ${name}`,
      `Size: ${formatSize(size)}${size < 1024 ? '' : ` (${groupDigits(size)} bytes)`}`,
      sha256 && `SHA-256: ${sha256}`,
    ]),
    `Stored: ${utcText(storedAt)}`,
    dueAt && `Removal due: ${utcText(dueAt)}`,
    purgedAt && `Bytes deleted: ${utcText(purgedAt)}, confirmed by storage`,
  ]
  return lines.filter((line) => line !== null && line !== '').join('\n')
}

/** Formats a date as in '2026-11-14 20:40:11 UTC'. */
function utcText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
