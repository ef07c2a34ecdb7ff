import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import type { CheckResult, CheckStatus } from '../../shared/contract/checks.ts'
import { pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { QueryContent } from '../ui/load-error.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { adminErrorText, checksQuery } from './admin-queries.ts'
import { getCheckDescription, summarizeChecks } from './check-text.ts'
import { SectionFrame } from './section.tsx'

/**
 * The server's health checks and how to fix the ones that fail. Problems come first, and checks
 * that are OK are collapsed.
 */
export function ChecksSection() {
  const query = useQuery(checksQuery)
  const { data, dataUpdatedAt, error, isFetching } = query
  return (
    <SectionFrame
      id="checks"
      note={data ? <CheckSummaryNote lines={data} checkedAt={new Date(dataUpdatedAt)} /> : null}
      action={
        data ? (
          <Button
            size="small"
            icon={<RefreshCw />}
            pending={isFetching}
            pendingLabel="Checking…"
            onClick={() => void query.refetch()}
          >
            Check again
          </Button>
        ) : null
      }
    >
      {data && error && !isFetching ? (
        <p role="alert" className="mb-3 text-red">
          The checks could not be repeated. {adminErrorText(error)}
        </p>
      ) : null}
      <QueryContent
        query={query}
        failed="The checks could not be run"
        loading={<RowsLoading label="Checking the server" rows={2} />}
      >
        {(lines) => <CheckList lines={lines} />}
      </QueryContent>
    </SectionFrame>
  )
}

/**
 * The text includes the time of the checks so that screen readers announce every run, even if no
 * result changed.
 */
function CheckSummaryNote({ lines, checkedAt }: { lines: CheckResult[]; checkedAt: Date }) {
  return (
    <span role="status">
      {summarizeChecks(lines).text} · {pastTimestampText(checkedAt, checkedAt)}
    </span>
  )
}

function CheckList({ lines }: { lines: CheckResult[] }) {
  const [showsPassing, setShowsPassing] = useState(false)
  const passingListId = useId()
  const { urgent, passing } = summarizeChecks(lines)
  return (
    <Card>
      {urgent.length === 0 ? (
        <p className="flex items-center gap-4 px-4 py-4 sm:px-5">
          <CircleCheck aria-hidden="true" className="size-[18px] shrink-0 text-accent" />
          Everything is OK.
        </p>
      ) : (
        <ul>
          {urgent.map((line) => (
            <CheckRow key={line.name} line={line} />
          ))}
        </ul>
      )}
      {passing.length > 0 ? (
        <div className="border-line border-t px-4 py-2 sm:px-5">
          <Button
            variant="quiet"
            size="small"
            wide
            expands={{ id: passingListId, isOpen: showsPassing }}
            onClick={() => setShowsPassing(!showsPassing)}
          >
            {showsPassing ? 'Hide' : 'Show'} what is OK ({passing.length})
          </Button>
        </div>
      ) : null}
      {showsPassing ? (
        <ul id={passingListId} className="border-line border-t">
          {passing.map((line) => (
            <CheckRow key={line.name} line={line} />
          ))}
        </ul>
      ) : null}
    </Card>
  )
}

const statusStyles = {
  failing: {
    icon: <CircleAlert className="text-red" />,
    mark: <Badge tone="red">Failing</Badge>,
    text: '',
  },
  warning: {
    icon: <TriangleAlert className="text-amber" />,
    mark: <Badge tone="amber">Warning</Badge>,
    text: '',
  },
  ok: {
    icon: <CircleCheck className="text-accent" />,
    mark: <span className="text-muted text-sm">OK</span>,
    text: 'text-muted',
  },
} as const satisfies Record<CheckStatus, unknown>

function CheckRow({ line: { name, status, message, cure } }: { line: CheckResult }) {
  const { icon, mark, text } = statusStyles[status]
  const isPassing = status === 'ok'
  const description = getCheckDescription(name)
  return (
    <li
      className={`grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-line border-t px-4 first:border-t-0 sm:px-5 md:grid-cols-[20px_180px_minmax(0,1fr)_auto] ${isPassing ? 'py-2.5' : 'py-4'}`}
    >
      <span aria-hidden="true" className="mt-0.5 [&_svg]:size-[18px]">
        {icon}
      </span>
      <h3 className="self-baseline font-semibold text-base leading-normal tracking-normal wrap-anywhere">
        {name}
      </h3>
      <div
        className={`col-span-2 col-start-2 wrap-anywhere max-md:row-start-2 md:col-span-1 md:col-start-3 ${text}`}
      >
        {description === null ? null : <p className="text-muted text-sm">{description}</p>}
        <p>{message}</p>
        {cure ? (
          <p className="mt-1 max-w-[76ch]">
            <b className="font-semibold">Fix:</b> {cure}
          </p>
        ) : null}
      </div>
      <span className="col-start-3 row-start-1 self-start text-right md:col-start-4">{mark}</span>
    </li>
  )
}
