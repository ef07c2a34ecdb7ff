import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Flag } from 'lucide-react'
import { useId, useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import { fileKind, kindLabel } from '../../shared/rules/files/file-kind.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { call, hasErrorCode } from '../api/call.ts'
import { serverNow } from '../api/server-clock.ts'
import { KindIcon } from '../files/kind-icon.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FileName } from '../ui/file-name.tsx'
import { flattenPages, PagedList } from '../ui/paged-list.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, reportsQuery, showAdminFailure } from './admin-queries.ts'
import { copiesText, reportSummary } from './report-text.ts'
import { EmailLink, ExpandButton, SectionFrame } from './section.tsx'
import {
  TakeDownByLinkForm,
  TakedownDialog,
  type TakedownTarget,
  toReportTarget,
} from './takedown-dialog.tsx'

/**
 * Reported files, the most recently reported first. The administrator can take each file down or
 * dismiss its reports. A form takes down unreported files by link.
 */
export function ReportsSection() {
  const query = useInfiniteQuery(reportsQuery)
  const [target, setTarget] = useState<TakedownTarget | null>(null)
  const { data, hasNextPage } = query
  const openCountText = data && `${flattenPages(data).length}${hasNextPage ? ' or more' : ''} open`
  const now = serverNow()
  return (
    <SectionFrame id="reports" note={openCountText && <span role="status">{openCountText}</span>}>
      <TakeDownByLinkForm onTakeDown={setTarget} />
      <PagedList
        query={query}
        noun="reports"
        label="Reports"
        empty={
          <EmptyState icon={<Flag />} title="No open reports">
            Reports from download pages appear here.
          </EmptyState>
        }
        row={(report) => (
          <ReportRow
            key={report.id}
            report={report}
            now={now}
            onTakeDown={() => setTarget(toReportTarget(report))}
          />
        )}
      />
      {target ? <TakedownDialog target={target} onClosed={() => setTarget(null)} /> : null}
    </SectionFrame>
  )
}

interface ReportRowProps {
  report: Report
  now: Date
  onTakeDown: () => void
}

function ReportRow({ report, now, onTakeDown }: ReportRowProps) {
  const { id, file } = report
  const client = useQueryClient()
  const { mutate: dismiss, isPending } = useMutation({
    mutationFn: () =>
      call('POST /api/admin/reports/{id}/dismiss', { params: { id } }).catch((error) => {
        if (!hasErrorCode(error, 'REPORT_NOT_FOUND')) throw error
        return { message: 'The report was already closed' }
      }),
    onSuccess: ({ message }) => {
      void refreshAdminData(client)
      toast({ title: message })
      // The focused button disappears with its row, so focus moves to the heading.
      document.getElementById('reports')?.focus()
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to dismiss the report'),
  })
  const kind = fileKind(file)
  const details = [
    formatSize(file.size),
    file.owner ?? 'account deleted',
    reportSummary(report, now),
    copiesText(file.copies),
  ]
  return (
    <li className="grid grid-cols-[36px_minmax(0,1fr)] gap-x-3 gap-y-3 border-line border-t px-4 py-4 first:border-t-0 sm:grid-cols-[36px_minmax(0,1fr)_auto] sm:gap-x-4 sm:px-5">
      <span className="grid size-9 place-items-center rounded-[9px] bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] text-muted">
        <KindIcon kind={kind} size={18} />
        <span className="sr-only">{kindLabel(kind)}</span>
      </span>
      <div className="min-w-0">
        <h3 className="font-[600] text-base leading-normal tracking-normal">
          <FileName name={file.originalName} />
        </h3>
        <p className="mt-0.5 text-muted text-sm tabular-nums wrap-anywhere">
          {file.openCode === null ? (
            'Link closed'
          ) : (
            <a
              href={`/s/${file.openCode}`}
              className="inline-flex min-h-6 items-center underline underline-offset-3 hover:decoration-2 pointer-coarse:min-h-11"
            >
              /s/{file.openCode}
            </a>
          )}
          {details.map((detail) => (detail === null ? null : ` · ${detail}`))}
        </p>
        <Statements report={report} now={now} />
      </div>
      <div className="flex items-start gap-2 max-sm:col-span-full max-sm:[&>*]:flex-1">
        <Button
          size="small"
          label={`Take down ${file.originalName}`}
          disabled={isPending}
          onClick={onTakeDown}
        >
          Take down
        </Button>
        <Button
          size="small"
          label={`Dismiss the report of ${file.originalName}`}
          pending={isPending}
          onClick={() => dismiss()}
        >
          Dismiss
        </Button>
      </div>
    </li>
  )
}

/**
 * The reasons that visitors gave for reporting a file. Only the latest is shown until the list is
 * expanded.
 */
function Statements({ report, now }: { report: Report; now: Date }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const { statements, file } = report
  const indexedStatements = statements.map((statement, index) => ({ ...statement, index }))
  const visibleStatements = isOpen ? indexedStatements : indexedStatements.slice(-1)
  return (
    <>
      <ul id={id} className="mt-1.5 grid max-w-[68ch] gap-2.5">
        {visibleStatements.map(({ index, ...statement }) => (
          <li key={index}>
            <p dir="auto" className="whitespace-pre-line wrap-anywhere">
              {statement.reason}
            </p>
            <p className="flex flex-wrap items-center gap-x-2 text-muted text-sm">
              {statement.email === null ? null : <EmailLink address={statement.email} />}
              <time dateTime={statement.at} className="tabular-nums">
                {pastTimestampText(new Date(statement.at), now)}
              </time>
              {statement.isSuspect ? <Badge tone="red">Likely spam</Badge> : null}
            </p>
          </li>
        ))}
      </ul>
      {statements.length > 1 ? (
        <ExpandButton id={id} isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
          {isOpen ? 'Show the last one' : `Show all ${statements.length}`}
          <span className="sr-only"> that was written about {file.originalName}</span>
        </ExpandButton>
      ) : null}
    </>
  )
}
