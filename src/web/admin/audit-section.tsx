import { ScrollText, SearchX } from 'lucide-react'
import { useState } from 'react'
import {
  type AuditAction,
  auditActionNames,
  auditActions,
  longestAuditSearch,
} from '../../shared/rules/accounts/audit-action.ts'
import { serverClock } from '../api/server-clock.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { DateField } from '../ui/date-field.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { Select } from '../ui/select.tsx'
import { AuditRow, auditColumns } from './audit-row.tsx'
import { OlderRows, RowsLoading, SectionFrame, type SectionProps } from './section.tsx'
import { useAudit } from './use-audit.ts'

const actions: { value: AuditAction | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  ...auditActions.map((action) => ({ value: action, label: auditActionNames[action] })),
]

/**
 * The audit log: who did what to whom, newest first. The administrator can search it by user, link
 * or IP address, by action and by date.
 */
export function AuditSection({ id, title }: SectionProps) {
  const { typed, search, setTyped } = useSearch()
  const [action, setAction] = useState<AuditAction | 'all'>('all')
  const [firstDay, setFirstDay] = useState('')
  const [lastDay, setLastDay] = useState('')
  const filter = { search, action: action === 'all' ? null : action, firstDay, lastDay }
  const { data, isError, isFetching, isPlaceholderData, refetch, ...pages } = useAudit(filter)
  const lines = data?.pages.flatMap(({ items }) => items)
  const isSearch = search !== '' || action !== 'all' || firstDay !== '' || lastDay !== ''
  const clear = () => {
    setTyped('')
    setAction('all')
    setFirstDay('')
    setLastDay('')
  }

  const content = () => {
    if (isError && !lines) {
      return (
        <LoadFailed
          title="The audit log could not be loaded"
          onRetry={() => void refetch()}
          pending={isFetching}
        />
      )
    }
    if (!lines) return <RowsLoading label="Loading the audit log" rows={5} />
    if (lines.length === 0) return isSearch ? <NothingFound onClear={clear} /> : <NothingYet />
    const now = new Date(serverClock().now())
    return (
      <Card
        className={`overflow-clip ${isPlaceholderData ? 'opacity-60 transition-opacity duration-150' : ''}`}
      >
        <div
          aria-hidden="true"
          className={`hidden gap-x-4 px-5 py-2.5 text-muted text-sm lg:grid ${auditColumns}`}
        >
          <span>When</span>
          <span>Who</span>
          <span>What</span>
          <span>Whom</span>
          <span>From</span>
        </div>
        <ul aria-label="Audit log" aria-busy={isPlaceholderData}>
          {lines.map((line) => (
            <AuditRow key={line.id} line={line} now={now} />
          ))}
        </ul>
        <OlderRows
          what="entries"
          hasMore={pages.hasNextPage}
          isLoading={pages.isFetchingNextPage}
          failed={pages.isFetchNextPageError}
          onMore={() => void pages.fetchNextPage()}
        />
      </Card>
    )
  }

  return (
    <SectionFrame
      id={id}
      title={title}
      note="Everything the administrator does, and every change of tier, role or password. Entries are never changed."
    >
      <div className="mb-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,10.5rem),1fr))] gap-2 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_17rem_11rem_11rem]">
        <div className="max-lg:col-span-full">
          <SearchField
            label="Email, link code or IP address"
            value={typed}
            onValueChange={setTyped}
            maxLength={longestAuditSearch}
          />
        </div>
        <div className="max-lg:col-span-full">
          <Select label="Action" options={actions} value={action} onValueChange={setAction} />
        </div>
        <DateField label="From" value={firstDay} onValueChange={setFirstDay} max={lastDay} />
        <DateField label="To" value={lastDay} onValueChange={setLastDay} min={firstDay} />
      </div>
      {content()}
    </SectionFrame>
  )
}

function NothingYet() {
  return (
    <Card>
      <EmptyState icon={<ScrollText />} title="Nothing has happened yet">
        Changes of tiers, passwords and settings are recorded here.
      </EmptyState>
    </Card>
  )
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Card>
      <EmptyState
        icon={<SearchX />}
        title="No entries found"
        action={<Button onClick={onClear}>Clear search</Button>}
      >
        Search for the full email address of either user, a link or its code, or a full IP address.
        The date range includes both days.
      </EmptyState>
    </Card>
  )
}
