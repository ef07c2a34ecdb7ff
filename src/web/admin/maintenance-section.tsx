import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, CircleAlert } from 'lucide-react'
import { useState } from 'react'
import { formatSize } from '../../shared/rules/file-size.ts'
import { pastMomentText } from '../../shared/rules/moment-text.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { serverClock } from '../api/server-clock.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { useSendsMail } from '../api/use-sends-mail.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { faultText } from './fault-text.ts'
import { type MaintenanceAction, maintenanceActions } from './maintenance-actions.ts'
import type { Outcome } from './maintenance-text.ts'
import { refreshAfterAct } from './refresh.ts'
import { SectionFrame, type SectionProps } from './section.tsx'

/**
 * The maintenance actions (spec §2). Each row says what its action does. After a run, it also says
 * what the action did, in figures. Actions that destroy something ask first.
 */
export function MaintenanceSection({ id, title }: SectionProps) {
  const { data: user } = useCurrentUser()
  const sendsMail = useSendsMail() ?? true
  return (
    <SectionFrame id={id} title={title} note="Each says what it did, in figures.">
      <Card>
        <ul aria-label={title}>
          {maintenanceActions(user?.email ?? '', sendsMail).map((action) => (
            <MaintenanceRow key={action.title} action={action} />
          ))}
        </ul>
      </Card>
    </SectionFrame>
  )
}

function MaintenanceRow({ action }: { action: MaintenanceAction }) {
  const { title, does, question, button, pendingLabel, bytes } = action
  const { sent, isPending, done, run } = useAction(action)
  const [isAsking, setAsking] = useState(false)
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 border-line border-t px-4 py-3.5 first:border-t-0 sm:grid-cols-[minmax(0,1fr)_152px] sm:px-5 sm:py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,340px)_152px]">
      <div className="min-w-0">
        <h3 className="font-[600] text-base leading-normal tracking-normal">{title}</h3>
        <p className="text-muted text-sm wrap-anywhere">{does}</p>
      </div>
      <div
        role="status"
        className="min-w-0 text-sm tabular-nums max-md:col-span-full max-md:row-start-2 max-sm:row-start-auto"
      >
        {isPending && bytes !== undefined ? <Sending sent={sent} bytes={bytes} /> : null}
        {!isPending && done ? <Done outcome={done} at={done.at} /> : null}
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
function useAction({ run, failure }: MaintenanceAction) {
  const client = useQueryClient()
  const [sent, setSent] = useState(0)
  const { mutate, isPending, data } = useMutation({
    mutationFn: async () => {
      setSent(0)
      const outcome = await run(setSent).catch((error: unknown): Outcome => {
        if (saysSignedOut(error)) throw error
        return { ok: false, text: failure, note: faultText(error) }
      })
      return { ...outcome, at: new Date(serverClock().now()) }
    },
    onSuccess: () => refreshAfterAct(client),
  })
  return { sent, isPending, done: data, run: () => mutate() }
}

function Done({ outcome: { ok, text, note }, at }: { outcome: Outcome; at: Date }) {
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
