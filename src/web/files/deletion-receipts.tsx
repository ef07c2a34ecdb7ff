import { useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { receiptDays } from '../../shared/rules/links/receipt.ts'
import { callForPage } from '../api/call.ts'
import { serverNow } from '../api/server-clock.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FileName } from '../ui/file-name.tsx'
import { cursorPagingOptions, PagedList, pageSize } from '../ui/paged-list.tsx'
import { Timestamp } from './link-receipt.tsx'

/** Receipts for deleted files, loaded on demand. */
export function DeletionReceipts() {
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  return (
    <>
      <Card className="flex min-w-0 flex-wrap items-center justify-between gap-3 p-5 sm:p-6">
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
      </Card>
      {isOpen ? (
        <div id={listId} className="min-w-0">
          <Receipts />
        </div>
      ) : null}
    </>
  )
}

function Receipts() {
  const now = serverNow()
  const query = useInfiniteQuery({
    queryKey: ['/api/files/receipts'],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('GET /api/files/receipts', { query: { limit: pageSize, cursor }, signal }),
    ...cursorPagingOptions,
    // Files may have been deleted in another browser.
    refetchOnMount: 'always',
  })
  return (
    <PagedList
      query={query}
      noun="receipts"
      label="Receipts"
      empty={
        <p className="px-5 py-4 text-muted text-sm sm:px-6">
          You have not deleted any files in the last {receiptDays} days. A receipt appears once
          storage has deleted the file, usually within minutes.
        </p>
      }
      row={({ fileId, originalName, dueAt, purgedAt }) => (
        <li key={fileId} className="border-line border-t px-5 py-3.5 first:border-t-0 sm:px-6">
          <div className="font-[540]">
            <FileName name={originalName} />
          </div>
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-muted text-sm tabular-nums">
            <dt>Deletion due</dt>
            <dd>
              <Timestamp at={new Date(dueAt)} now={now} />
            </dd>
            <dt>Bytes deleted</dt>
            <dd>
              <Timestamp at={new Date(purgedAt)} now={now} />
              <span className="block">Confirmed by storage.</span>
            </dd>
          </dl>
        </li>
      )}
    />
  )
}
