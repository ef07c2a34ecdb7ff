import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown, ScrollText, SearchX } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import {
  type AuditAction,
  auditActionNames,
  auditActions,
  maxAuditSearchLength,
} from '../../shared/rules/accounts/audit-action.ts'
import { pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { serverNow } from '../api/server-clock.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { DateField } from '../ui/field.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { Select } from '../ui/select.tsx'
import { auditQuery } from './admin-queries.ts'
import { affectedUserText, auditText } from './audit-text.ts'
import { SectionFrame } from './section.tsx'

const actionOptions: { value: AuditAction | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  ...auditActions.map((action) => ({ value: action, label: auditActionNames[action] })),
]

/**
 * The audit log, newest entries first. It can be searched by user, link or IP address and filtered
 * by action and date.
 */
export function AuditSection() {
  const { input, search, setInput } = useSearch()
  const [action, setAction] = useState<AuditAction | 'all'>('all')
  const [firstDay, setFirstDay] = useState('')
  const [lastDay, setLastDay] = useState('')
  const from = startOfLocalDay(firstDay)
  const to = endOfLocalDay(lastDay)
  const query = useInfiniteQuery(
    auditQuery({
      ...(search && { search }),
      ...(action !== 'all' && { action }),
      ...(from && { from: from.toISOString() }),
      ...(to && { to: to.toISOString() }),
    }),
  )
  const isFiltered = search !== '' || action !== 'all' || firstDay !== '' || lastDay !== ''
  const clearSearch = () => {
    setInput('')
    setAction('all')
    setFirstDay('')
    setLastDay('')
  }
  const now = serverNow()
  return (
    <SectionFrame
      id="audit"
      note="Everything the administrator does, and every change of tier, role or password. Entries are never changed."
    >
      <div className="mb-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,10.5rem),1fr))] gap-2 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_17rem_11rem_11rem]">
        <div className="max-lg:col-span-full">
          <SearchField
            label="Email, link code or IP address"
            value={input}
            onValueChange={setInput}
            maxLength={maxAuditSearchLength}
          />
        </div>
        <div className="max-lg:col-span-full">
          <Select label="Action" options={actionOptions} value={action} onValueChange={setAction} />
        </div>
        <DateField label="From" value={firstDay} onValueChange={setFirstDay} max={lastDay} />
        <DateField label="To" value={lastDay} onValueChange={setLastDay} min={firstDay} />
      </div>
      <PagedList
        query={query}
        noun="audit log"
        label="Audit log"
        empty={isFiltered ? <NoSearchResults onClear={clearSearch} /> : <EmptyAuditLog />}
        head={<ColumnTitles />}
        row={(entry) => <AuditRow key={entry.id} line={entry} now={now} />}
      />
    </SectionFrame>
  )
}

function ColumnTitles() {
  return (
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
  )
}

/**
 * Dates before this year are ignored, because the date field reports years such as 0002 while the
 * user is still typing.
 */
const firstYear = 1970

/**
 * Returns the start of a day such as '2026-11-19' in the browser's time zone. Returns null if the
 * text is empty or the year is incomplete.
 */
export function startOfLocalDay(day: string): Date | null {
  const start = new Date(`${day}T00:00`)
  return start.getFullYear() >= firstYear ? start : null
}

/** Like `startOfLocalDay`, but returns the start of the following day. */
export function endOfLocalDay(day: string): Date | null {
  const end = startOfLocalDay(day)
  end?.setDate(end.getDate() + 1)
  return end
}

function EmptyAuditLog() {
  return (
    <EmptyState icon={<ScrollText />} title="No entries yet">
      Changes of tiers, passwords and settings are recorded here.
    </EmptyState>
  )
}

function NoSearchResults({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchX />}
      title="No entries found"
      action={<Button onClick={onClear}>Clear search</Button>}
    >
      Search for the full email address of either user, a link or its code, or a full IP address.
      The date range includes both days.
    </EmptyState>
  )
}

/** Grid columns shared by the entries and their header row. */
const auditColumns = 'lg:grid-cols-[168px_minmax(0,1fr)_minmax(0,1.35fr)_minmax(0,1fr)_118px_32px]'

/** An audit log entry with a button that expands its details. Shown as a card on small screens. */
function AuditRow({ line, now }: { line: AuditEntry; now: Date }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const text = auditText(line)
  const userText = affectedUserText(line)
  return (
    <li className="border-line border-t text-sm first:max-lg:border-t-0">
      <div
        className={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2 sm:px-5 ${auditColumns}`}
      >
        <time
          dateTime={line.at}
          className="text-muted tabular-nums max-lg:col-start-1 max-lg:row-start-4"
        >
          {pastTimestampText(new Date(line.at), now)}
        </time>
        <span className="line-clamp-2 wrap-anywhere max-lg:col-start-1 max-lg:row-start-2">
          <CellLabel>Who: </CellLabel>
          {line.actor ?? 'The server'}
        </span>
        <span className="line-clamp-2 wrap-anywhere max-lg:col-start-1 max-lg:row-start-1 max-lg:font-[540] max-lg:text-base">
          {text}
        </span>
        <span className="line-clamp-2 wrap-anywhere max-lg:col-start-1 max-lg:row-start-3">
          {userText === null ? null : (
            <>
              <CellLabel>Whom: </CellLabel>
              {userText}
            </>
          )}
        </span>
        <span className="text-muted tabular-nums wrap-anywhere max-lg:col-start-1 max-lg:row-start-5">
          {line.ipAddress}
        </span>
        <div className="max-lg:col-start-2 max-lg:row-start-1 max-lg:self-start">
          <IconButton
            label={`${isOpen ? 'Hide' : 'Show'} details of ${text}`}
            icon={<ChevronDown className={isOpen ? 'rotate-180' : ''} />}
            expands={{ id, isOpen }}
            onClick={() => setOpen(!isOpen)}
          />
        </div>
      </div>
      {isOpen ? <Details id={id} line={line} affectedUser={userText} /> : null}
    </li>
  )
}

/** A value's label. Visually hidden on wide screens, where the column has a header. */
function CellLabel({ children }: { children: ReactNode }) {
  return <span className="text-muted lg:sr-only">{children}</span>
}

function Details({
  id,
  line,
  affectedUser,
}: {
  id: string
  line: AuditEntry
  affectedUser: string | null
}) {
  return (
    <dl
      id={id}
      className="grid gap-x-6 gap-y-2 border-line border-t bg-paper px-4 py-3.5 sm:grid-cols-[auto_minmax(0,1fr)] sm:px-5"
    >
      <DetailRow name="Entry">
        {line.id}, {line.action}
      </DetailRow>
      <DetailRow name="Time">{line.at}</DetailRow>
      <DetailRow name="Who">{line.actor ?? 'The server'}</DetailRow>
      {affectedUser === null ? null : <DetailRow name="Whom">{affectedUser}</DetailRow>}
      <DetailRow name="Recorded">
        <pre className="whitespace-pre-wrap font-[inherit] wrap-anywhere">
          {JSON.stringify(line.details, null, 2)}
        </pre>
      </DetailRow>
    </dl>
  )
}

function DetailRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="tabular-nums wrap-anywhere">{children}</dd>
    </>
  )
}
