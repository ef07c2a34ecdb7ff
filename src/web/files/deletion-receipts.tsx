import { useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { exactMomentText } from '../../shared/rules/format/moment-text.ts'
import { receiptDays } from '../../shared/rules/links/receipt.ts'
import { callForPage } from '../api/call.ts'
import { serverNow } from '../api/look-again.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FileName } from '../ui/file-name.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/**
 * The receipts of the files that the user has deleted. These files are no longer in the list of
 * files. The page loads the receipts when the user opens them.
 */
export function DeletionReceipts() {
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  return (
    <Card className="min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-3 p-5 sm:p-6">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="font-[560] text-base leading-normal tracking-normal">Deleted files</h3>
          <p className="mt-1 text-muted text-sm">
            A receipt shows when storage confirmed that a file was deleted. It is kept for{' '}
            {receiptDays} days.
          </p>
        </div>
        <Button size="small" expands={{ id: listId, isOpen }} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide receipts' : 'Show receipts'}
        </Button>
      </div>
      {isOpen ? (
        <div id={listId} className="border-line border-t">
          <Receipts />
        </div>
      ) : null}
    </Card>
  )
}

function Receipts() {
  const { receipts, hasMore, readMore, isError, isFetching, refetch } = useReceipts()
  const failure =
    isError && !isFetching ? (
      <div role="alert" className="flex flex-wrap items-center gap-3 px-5 py-4 sm:px-6">
        <p className="text-muted text-sm">The receipts could not be loaded.</p>
        <Button size="small" onClick={() => void (receipts ? readMore() : refetch())}>
          Try again
        </Button>
      </div>
    ) : null
  if (receipts === undefined) {
    if (failure) return failure
    return (
      <div className="px-5 py-4 sm:px-6">
        <Loading label="Loading the receipts">
          <Skeleton className="h-5 w-48" />
        </Loading>
      </div>
    )
  }
  if (receipts.length === 0) {
    return (
      <p className="px-5 py-4 text-muted text-sm sm:px-6">
        You have not deleted any files in the last {receiptDays} days. A receipt appears once
        storage has deleted the file, usually within minutes.
      </p>
    )
  }
  return (
    <>
      <ul className="divide-y divide-line">
        {receipts.map(({ fileId, originalName, dueAt, purgedAt }) => (
          <li key={fileId} className="px-5 py-3.5 sm:px-6">
            <div className="font-[540]">
              <FileName name={originalName} />
            </div>
            <Receipt
              deletion={{ dueAt: new Date(dueAt), purgedAt: new Date(purgedAt) }}
              now={serverNow()}
            />
          </li>
        ))}
      </ul>
      {failure}
      {hasMore && !failure ? (
        <div className="border-line border-t px-4 py-2 sm:px-5">
          <Button
            variant="quiet"
            size="small"
            wide
            pending={isFetching}
            pendingLabel="Loading…"
            onClick={() => void readMore()}
          >
            Show more
          </Button>
        </div>
      ) : null}
    </>
  )
}

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
function Receipt({ deletion, now }: ReceiptProps) {
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
        <span className="block">Confirmed by storage.</span>
      </dd>
    </dl>
  )
}

/** How many receipts one request loads. */
const pageSize = 20

/**
 * Returns the receipts of the user's deleted files, newest first, and a function that loads more of
 * them.
 */
function useReceipts() {
  const { data, hasNextPage, fetchNextPage, isError, isFetching, refetch } = useInfiniteQuery({
    queryKey: ['/api/files/receipts'],
    // The user may have deleted a file elsewhere, so there may be a new receipt.
    refetchOnMount: 'always',
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam && { cursor: pageParam }) }
      return callForPage('listReceipts', { query, signal })
    },
    getNextPageParam: ({ next }) => next,
  })
  return {
    receipts: data?.pages.flatMap(({ items }) => items),
    hasMore: hasNextPage,
    readMore: fetchNextPage,
    isError,
    isFetching,
    refetch,
  }
}
