import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, CircleAlert, Clock, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { pastMomentText } from '../../shared/rules/format/moment-text.ts'
import { useSendsMail } from '../api/public-values.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { serverClock } from '../api/server-clock.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { LoadFailedLine } from '../ui/load-failed.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { errorText } from './error-text.ts'
import {
  failures,
  type MaintenanceAction,
  maintenanceActions,
  rememberedOutcome,
  useMaintenance,
} from './maintenance-actions.ts'
import { refreshAfterAct } from './refresh.ts'
import { SectionFrame, type SectionProps } from './section.tsx'
import type { ActOutcome } from './test-upload.ts'

/**
 * The maintenance actions (spec §2). Each row says what its action does, and what it did last, in
 * figures: in this page, or else by the audit log. Actions that destroy something ask first.
 */
export function MaintenanceSection({ id, title }: SectionProps) {
  const { data: user } = useCurrentUser()
  const sendsMail = useSendsMail() ?? true
  const { data: lines, isError, isFetching, refetch } = useMaintenance()
  const lastOf = ({ act }: MaintenanceAction) => {
    if (!lines) return isError ? null : 'loading'
    const line = lines.find(({ action }) => action === act)
    return line ? { ...rememberedOutcome(act, line.details), at: new Date(line.at) } : 'never'
  }
  return (
    <SectionFrame id={id} title={title} note="Each shows its last result.">
      {isError && !lines ? (
        <LoadFailedLine
          text="The last results could not be loaded."
          label="Try again: last results"
          pending={isFetching}
          onRetry={() => void refetch()}
          className="mb-3"
        />
      ) : null}
      <Card>
        <ul aria-label={title}>
          {maintenanceActions(user?.email ?? '', sendsMail).map((action) => (
            <MaintenanceRow key={action.act} action={action} last={lastOf(action)} />
          ))}
        </ul>
      </Card>
    </SectionFrame>
  )
}

/** What an action did, and when. */
type DatedOutcome = ActOutcome & { at: Date }

interface MaintenanceRowProps {
  action: MaintenanceAction
  /** What the action did before the page was opened. null if that could not be loaded. */
  last: DatedOutcome | 'loading' | 'never' | null
}

function MaintenanceRow({ action, last }: MaintenanceRowProps) {
  const { title, does, question, button, pendingLabel, bytes } = action
  const { sent, isPending, done, run } = useAction(action)
  const [isAsking, setAsking] = useState(false)
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 border-line border-t px-4 py-3.5 first:border-t-0 sm:grid-cols-[minmax(0,1fr)_152px] sm:px-5 sm:py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,340px)_152px]">
      <div className="min-w-0">
        <h3 className="font-[600] text-base leading-normal tracking-normal">{title}</h3>
        <p className="text-muted text-sm wrap-anywhere">{does}</p>
      </div>
      <div className="min-w-0 text-sm tabular-nums max-md:col-span-full max-md:row-start-2 max-sm:row-start-auto">
        {/* Screen readers announce only what an action does now, not what it did last. */}
        <div role="status">
          {isPending && bytes !== undefined ? <Sending sent={sent} bytes={bytes} /> : null}
          {!isPending && done ? <Done outcome={done} /> : null}
        </div>
        {isPending || done || last === null ? null : <Last last={last} />}
      </div>
      <div className="grid">
        <Button
          size="small"
          label={button === title ? undefined : `${button}: ${title}`}
          pending={isPending}
          pendingLabel={pendingLabel}
          onClick={question === undefined ? run : () => setAsking(true)}
        >
          {button}
        </Button>
      </div>
      {question === undefined ? null : (
        <ConfirmDialog
          open={isAsking}
          onOpenChange={setAsking}
          title={title}
          description={question}
          confirmLabel={button}
          onConfirm={() => {
            setAsking(false)
            run()
          }}
        />
      )}
    </li>
  )
}

/** Runs a maintenance action. Remembers what its last run did, and when. */
function useAction({ act, run }: MaintenanceAction) {
  const client = useQueryClient()
  const [sent, setSent] = useState(0)
  const { mutate, isPending, data } = useMutation({
    mutationFn: async () => {
      setSent(0)
      const outcome = await run(setSent).catch((error: unknown): ActOutcome => {
        if (saysSignedOut(error)) throw error
        return { ok: false, text: failures[act], note: errorText(error) }
      })
      return { ...outcome, at: new Date(serverClock().now()) }
    },
    onSuccess: () => refreshAfterAct(client),
  })
  return { sent, isPending, done: data, run: () => mutate() }
}

function Last({ last }: { last: DatedOutcome | 'loading' | 'never' }) {
  if (last === 'never') return <p className="text-muted">Not run from here yet.</p>
  if (last !== 'loading') return <Done outcome={last} />
  return (
    <div className="grid gap-2 py-1">
      <Skeleton className="h-3 w-36" />
      <Skeleton className="h-3 w-24" />
    </div>
  )
}

function lookOf(ok: ActOutcome['ok']): { Icon: LucideIcon; tone: string } {
  if (ok === null) return { Icon: Clock, tone: 'text-muted' }
  return ok ? { Icon: Check, tone: 'text-accent' } : { Icon: CircleAlert, tone: 'text-red' }
}

function Done({ outcome: { ok, text, note, at } }: { outcome: DatedOutcome }) {
  const { Icon, tone } = lookOf(ok)
  return (
    <div className="flex gap-2">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className={ok === false ? 'text-red' : ''}>{text}</p>
        {note ? <p className="text-muted">{note}</p> : null}
        <p className="text-muted">{pastMomentText(at, new Date(serverClock().now()))}</p>
      </div>
    </div>
  )
}

function Sending({ sent, bytes }: { sent: number; bytes: number }) {
  return (
    <div className="grid gap-1.5">
      <span>
        {formatSize(sent)} of {formatSize(bytes)}
      </span>
      <ProgressBar label="Sending the test upload" value={(100 * sent) / bytes} />
    </div>
  )
}
