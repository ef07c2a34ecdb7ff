import { exactMomentText } from '../../shared/rules/format/moment-text.ts'

/** The two moments that a receipt of a deletion shows. */
export interface Deletion {
  /** When the bytes had to be removed. */
  dueAt: Date
  /** When storage confirmed that the bytes were removed. */
  purgedAt: Date
}

interface ReceiptProps {
  deletion: Deletion
  now: Date
}

/**
 * The receipt of a deletion: when it was due, and when storage confirmed that the bytes were
 * removed.
 */
export function Receipt({ deletion, now }: ReceiptProps) {
  const { dueAt, purgedAt } = deletion
  return (
    <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-muted text-sm tabular-nums">
      <dt>Deletion due</dt>
      <dd>
        <time dateTime={dueAt.toISOString()}>{exactMomentText(dueAt, now)}</time>
      </dd>
      <dt>Bytes deleted</dt>
      <dd>
        <time dateTime={purgedAt.toISOString()}>{exactMomentText(purgedAt, now)}</time>
        <span className="block">Storage has confirmed that nothing is left.</span>
      </dd>
    </dl>
  )
}
