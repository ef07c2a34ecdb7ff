import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import { pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { useSendsMail } from '../api/public-values.ts'
import { serverNow } from '../api/server-clock.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { confirm } from '../ui/confirm.tsx'
import { InlineLoadError } from '../ui/load-error.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { adminErrorText, maintenanceQuery, refreshAdminData } from './admin-queries.ts'
import { auditText } from './audit-text.ts'
import { type MaintenanceAction, maintenanceActions } from './maintenance-actions.ts'
import { SectionFrame } from './section.tsx'
import type { ActionOutcome } from './test-upload.ts'

/**
 * The maintenance actions (spec §2), each with its description and last result. Destructive actions
 * ask for confirmation.
 */
export function MaintenanceSection() {
  const { data: user } = useCurrentUser()
  const sendsMail = useSendsMail() ?? true
  const query = useQuery(maintenanceQuery)
  const { data: entries, isError } = query
  const renderLastResult = ({ act }: MaintenanceAction) => {
    if (!entries) return isError ? null : <LastResultSkeleton />
    const entry = entries.find(({ action }) => action === act)
    return entry ? (
      <LastResult line={entry} />
    ) : (
      <p className="text-muted">Not run from here yet.</p>
    )
  }
  return (
    <SectionFrame id="maintenance" note="Each shows its last result.">
      {isError && !entries ? (
        <InlineLoadError
          query={query}
          text="The last results could not be loaded."
          label="Try again: last results"
          className="mb-3"
        />
      ) : null}
      <Card>
        <ul aria-label="Maintenance">
          {maintenanceActions(user?.email ?? '', sendsMail).map((action) => (
            <MaintenanceRow
              key={action.act}
              action={action}
              lastResult={renderLastResult(action)}
            />
          ))}
        </ul>
      </Card>
    </SectionFrame>
  )
}

interface MaintenanceRowProps {
  action: MaintenanceAction
  /** The result of the last run before the page was opened. */
  lastResult: ReactNode
}

function MaintenanceRow({ action, lastResult }: MaintenanceRowProps) {
  const { title, description, question, button, pendingLabel, failure, run } = action
  const client = useQueryClient()
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: run,
    onSettled: () => void refreshAdminData(client),
  })
  const outcome = error ? { ok: false, text: failure, note: adminErrorText(error) } : data
  const confirmAndRun = async () => {
    const isConfirmed =
      question === undefined ||
      (await confirm({ title, description: question, confirmLabel: button }))
    if (isConfirmed) mutate()
  }
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 border-line border-t px-4 py-3.5 first:border-t-0 sm:grid-cols-[minmax(0,1fr)_152px] sm:px-5 sm:py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,340px)_152px]">
      <div className="min-w-0">
        <h3 className="font-[600] text-base leading-normal tracking-normal">{title}</h3>
        <p className="text-muted text-sm wrap-anywhere">{description}</p>
      </div>
      <div className="min-w-0 text-sm tabular-nums max-md:col-span-full max-md:row-start-2 max-sm:row-start-auto">
        {/* Screen readers announce only a new result, not the previous one. */}
        <div role="status">{!isPending && outcome ? <Outcome {...outcome} /> : null}</div>
        {isPending || outcome ? null : lastResult}
      </div>
      <div className="grid">
        <Button
          size="small"
          label={button === title ? undefined : `${button}: ${title}`}
          pending={isPending}
          pendingLabel={pendingLabel}
          onClick={() => void confirmAndRun()}
        >
          {button}
        </Button>
      </div>
    </li>
  )
}

function LastResultSkeleton() {
  return (
    <div className="grid gap-2 py-1">
      <Skeleton className="h-3 w-36" />
      <Skeleton className="h-3 w-24" />
    </div>
  )
}

function LastResult({ line }: { line: AuditEntry }) {
  const { success, connected } = line.details
  return (
    <Outcome
      ok={success !== false && connected !== false}
      text={auditText(line)}
      note={pastTimestampText(new Date(line.at), serverNow())}
    />
  )
}

function Outcome({ ok, text, note }: ActionOutcome) {
  const Icon = ok ? Check : CircleAlert
  return (
    <div className="flex gap-2">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-4 shrink-0 ${ok ? 'text-accent' : 'text-red'}`}
      />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className={ok ? '' : 'text-red'}>{text}</p>
        {note ? <p className="text-muted">{note}</p> : null}
      </div>
    </div>
  )
}
