import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { exactMomentText } from '../../shared/rules/format/moment-text.ts'
import { removalDueAt } from '../../shared/rules/links/receipt.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { Checksum } from './checksum.tsx'
import { copyText } from './copy-text.ts'
import { linkFacts } from './link-facts.ts'
import { type ReceiptMoments, receiptText } from './receipt-text.ts'

function momentsOf(file: StoredFile, canRenew: boolean): ReceiptMoments {
  const { purgeDueAt, purgedAt } = file
  const facts = linkFacts(file)
  const recorded = purgeDueAt === null ? null : new Date(purgeDueAt)
  return {
    storedAt: facts.createdAt,
    dueAt: removalDueAt({ ...facts, purgeDueAt: recorded }, canRenew),
    purgedAt: purgedAt === null ? null : new Date(purgedAt),
  }
}

async function copy(file: StoredFile, moments: ReceiptMoments) {
  try {
    await copyText(receiptText(file, moments, window.location.origin))
    toast({ title: 'Receipt copied', description: file.originalName })
  } catch {
    toast({
      title: 'Copy failed',
      description: 'Failed to copy receipt to clipboard.',
      tone: 'destructive',
    })
  }
}

export interface FileReceiptProps {
  file: StoredFile
  /** True if the owner's tier can renew links. */
  canRenew: boolean
  now: Date
}

/**
 * The receipt of a file: since when it is stored, when it must be removed, when storage confirmed
 * that its bytes were removed, and its SHA-256. It can be copied as text.
 */
export function FileReceipt({ file, canRenew, now }: FileReceiptProps) {
  const moments = momentsOf(file, canRenew)
  const { storedAt, dueAt, purgedAt } = moments
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h3 className="font-[600] text-sm leading-normal tracking-normal">Receipt</h3>
        <div className="-mr-2.5">
          <Button
            size="small"
            variant="quiet"
            icon={<Copy />}
            onClick={() => void copy(file, moments)}
          >
            Copy receipt
            <span className="sr-only">of {file.originalName}</span>
          </Button>
        </div>
      </div>
      <dl className="mt-1 grid gap-1.5 text-sm tabular-nums">
        <Fact name="Stored">
          <Moment at={storedAt} now={now} />
        </Fact>
        {dueAt === null ? null : (
          <Fact name="Removal due">
            <Moment at={dueAt} now={now} />
          </Fact>
        )}
        {purgedAt === null ? null : (
          <Fact name="Bytes deleted">
            <Moment at={purgedAt} now={now} />
          </Fact>
        )}
        {purgedAt === null ? null : (
          <div>
            <dt className="sr-only">Proof</dt>
            <dd className="text-muted">Storage has confirmed that nothing is left.</dd>
          </div>
        )}
        {file.sha256 === null ? null : (
          <div>
            <dt className="text-muted">SHA-256</dt>
            <dd>
              <Checksum sha256={file.sha256} />
            </dd>
          </div>
        )}
      </dl>
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Moment({ at, now }: { at: Date; now: Date }) {
  return <time dateTime={at.toISOString()}>{exactMomentText(at, now)}</time>
}
