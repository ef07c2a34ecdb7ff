import { ScrollText, SearchX } from 'lucide-react'
import { useState } from 'react'
import {
  type AuditAction,
  auditActionNames,
  auditActions,
} from '../../shared/rules/audit-action.ts'
import { longestAddress } from '../../shared/rules/mail-address.ts'
import { serverClock } from '../api/server-clock.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Select } from '../ui/select.tsx'
import { useSearch } from '../ui/use-search.ts'
import { AuditRow, auditColumns } from './audit-row.tsx'
import { SectionFrame, type SectionProps } from './section.tsx'
import { OlderRows, RowsLoading } from './section-states.tsx'
import { useAudit } from './use-audit.ts'

const actions: { value: AuditAction | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  ...auditActions.map((action) => ({ value: action, label: auditActionNames[action] })),
]

/**
 * The audit log: who did what to whom, newest first. The administrator can search it by user and by
 * action.
 */
export function AuditSection({ id, title }: SectionProps) {
  const { typed, search, setTyped } = useSearch()
  const [action, setAction] = useState<AuditAction | 'all'>('all')
  const filter = { user: search, action: action === 'all' ? null : action }
  const { data, isError, isFetching, isPlaceholderData, refetch, ...pages } = useAudit(filter)
  const lines = data?.pages.flatMap(({ items }) => items)
  const isSearch = search !== '' || action !== 'all'
  const clear = () => {
    setTyped('')
    setAction('all')
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
      note="Every act of the administrator, every change of tier, role or password. Nothing in it is ever changed."
    >
      <div className="mb-3 grid grid-cols-1 gap-2 sm:grid-cols-[minmax(0,1fr)_280px]">
        <SearchField
          label="The whole email of a user"
          value={typed}
          onValueChange={setTyped}
          maxLength={longestAddress}
        />
        <Select label="Act" options={actions} value={action} onValueChange={setAction} />
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
        title="No entry found"
        action={<Button onClick={onClear}>Clear search</Button>}
      >
        The log is searched by the whole email of a user who did something or underwent it.
      </EmptyState>
    </Card>
  )
}
