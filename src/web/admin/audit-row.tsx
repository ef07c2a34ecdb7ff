import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { AuditLine } from '../../shared/contract/admin.ts'
import { pastMomentText } from '../../shared/rules/format/moment-text.ts'
import { IconButton } from '../ui/button.tsx'
import { auditText, whomText } from './audit-text.ts'

/** The grid columns of each entry and of the titles above the entries. */
export const auditColumns =
  'lg:grid-cols-[168px_minmax(0,1fr)_minmax(0,1.35fr)_minmax(0,1fr)_118px_32px]'

/**
 * An entry of the audit log. Its button shows all recorded data. On small screens the entry is a
 * card that begins with what happened.
 */
export function AuditRow({ line, now }: { line: AuditLine; now: Date }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const text = auditText(line)
  const whom = whomText(line)
  return (
    <li className="border-line border-t text-sm first:max-lg:border-t-0">
      <div
        className={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2 sm:px-5 ${auditColumns}`}
      >
        <time
          dateTime={line.at}
          className="text-muted tabular-nums max-lg:col-start-1 max-lg:row-start-4"
        >
          {pastMomentText(new Date(line.at), now)}
        </time>
        <span className="line-clamp-2 wrap-anywhere max-lg:col-start-1 max-lg:row-start-2">
          <Said>Who: </Said>
          {line.actor ?? 'The server'}
        </span>
        <span className="line-clamp-2 wrap-anywhere max-lg:col-start-1 max-lg:row-start-1 max-lg:font-[540] max-lg:text-base">
          {text}
        </span>
        <span className="line-clamp-2 wrap-anywhere max-lg:col-start-1 max-lg:row-start-3">
          {whom === null ? null : (
            <>
              <Said>Whom: </Said>
              {whom}
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
      {isOpen ? <Details id={id} line={line} whom={whom} /> : null}
    </li>
  )
}

/**
 * A label before a value. On wide screens a title above the column replaces it, so only screen
 * readers read it there.
 */
function Said({ children }: { children: ReactNode }) {
  return <span className="text-muted lg:sr-only">{children}</span>
}

function Details({ id, line, whom }: { id: string; line: AuditLine; whom: string | null }) {
  return (
    <dl
      id={id}
      className="grid gap-x-6 gap-y-2 border-line border-t bg-paper px-4 py-3.5 sm:grid-cols-[auto_minmax(0,1fr)] sm:px-5"
    >
      <Fact name="Entry">
        {line.id}, {line.action}
      </Fact>
      <Fact name="Time">{line.at}</Fact>
      <Fact name="Who">{line.actor ?? 'The server'}</Fact>
      {whom === null ? null : <Fact name="Whom">{whom}</Fact>}
      <Fact name="Recorded">
        <pre className="whitespace-pre-wrap font-[inherit] wrap-anywhere">
          {JSON.stringify(line.details, null, 2)}
        </pre>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="tabular-nums wrap-anywhere">{children}</dd>
    </>
  )
}
