import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import type { AdminRequest } from '../../shared/contract/requests.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { localTimestampText, pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { call, ignoreErrors } from '../api/call.ts'
import { serverNow } from '../api/server-clock.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { confirm } from '../ui/confirm.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, requestsQuery, showAdminFailure } from './admin-queries.ts'
import { EmailLink, SectionFrame } from './section.tsx'

/** Everybody's requests, newest first. The administrator can close each one. */
export function RequestsSection() {
  const now = serverNow()
  return (
    <SectionFrame id="requests">
      <PagedList
        query={useInfiniteQuery(requestsQuery)}
        noun="requests"
        label="Requests"
        empty={
          <EmptyState icon={<Inbox />} title="No requests yet">
            Pages on which users receive files appear here.
          </EmptyState>
        }
        row={(request) => <RequestRow key={request.id} request={request} now={now} />}
      />
    </SectionFrame>
  )
}

function RequestRow({ request, now }: { request: AdminRequest; now: Date }) {
  const { id, code, title, message, owner, state, createdAt, closesAt, receivedCount } = request
  const client = useQueryClient()
  const { mutate: close, isPending } = useMutation({
    mutationFn: () =>
      call('POST /api/admin/requests/{id}/close', { params: { id } }).catch(
        ignoreErrors('REQUEST_NOT_FOUND'),
      ),
    onSuccess: () => {
      void refreshAdminData(client)
      toast({ title: 'Request closed', description: title })
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to close the request'),
  })
  const confirmAndClose = async () => {
    const isConfirmed = await confirm({
      title: `Close ${title}?`,
      description:
        'Nobody can send files to it any more, and its owner cannot open it again. What has arrived stays.',
      confirmLabel: 'Close request',
      focusAfter: () => document.getElementById('requests'),
    })
    if (isConfirmed) close()
  }
  const isOpen = state === 'open'
  return (
    <li className="border-line border-t px-4 py-4 first:border-t-0 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3
          dir="auto"
          className="min-w-0 font-[600] text-base leading-normal tracking-normal wrap-anywhere"
        >
          {title}
        </h3>
        <Badge tone={isOpen ? 'accent' : 'outline'}>{isOpen ? 'Open' : 'Closed'}</Badge>
        {isOpen ? (
          <span className="ml-auto">
            <Button
              size="small"
              label={`Close ${title}`}
              pending={isPending}
              onClick={() => void confirmAndClose()}
            >
              Close
            </Button>
          </span>
        ) : null}
      </div>
      <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-muted text-sm tabular-nums">
        <EmailLink address={owner} />
        {isOpen ? (
          <a
            href={`/r/${code}`}
            className="inline-flex min-h-6 items-center underline underline-offset-3 hover:decoration-2 pointer-coarse:min-h-11"
          >
            /r/{code}
          </a>
        ) : null}
        <span>{formatCount(receivedCount, 'delivery', 'deliveries')}</span>
        <time dateTime={createdAt}>created {pastTimestampText(new Date(createdAt), now)}</time>
        {isOpen ? (
          <time dateTime={closesAt}>until {localTimestampText(new Date(closesAt), now)}</time>
        ) : null}
      </p>
      {message === null ? null : (
        <p dir="auto" className="mt-1.5 max-w-[68ch] whitespace-pre-line wrap-anywhere">
          {message}
        </p>
      )}
    </li>
  )
}
