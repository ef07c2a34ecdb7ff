import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { useId, useState } from 'react'
import type { Feedback } from '../../shared/contract/feedback.ts'
import { categoryLabels, maxFeedbackEmailsPerHour } from '../../shared/rules/accounts/feedback.ts'
import { pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { call, ignoreErrors } from '../api/call.ts'
import { useSendsMail } from '../api/public-values.ts'
import { serverNow } from '../api/server-clock.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { confirm } from '../ui/confirm.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { toast } from '../ui/toast.tsx'
import { feedbackQuery, refreshAdminData, showAdminFailure } from './admin-queries.ts'
import { EmailLink, ExpandButton, SectionFrame } from './section.tsx'

/** User feedback, newest first, with likely spam marked as such. Each entry can be deleted. */
export function FeedbackSection() {
  const sendsMail = useSendsMail()
  const now = serverNow()
  return (
    <SectionFrame id="feedback" note={deliveryNote(sendsMail)}>
      <PagedList
        query={useInfiniteQuery(feedbackQuery)}
        noun="feedback"
        label="Feedback"
        empty={
          <EmptyState icon={<MessageSquare />} title="No feedback yet">
            Messages from the feedback page appear here
            {sendsMail ? ' and are emailed to support' : ''}.
          </EmptyState>
        }
        row={(feedback) => <FeedbackRow key={feedback.id} feedback={feedback} now={now} />}
      />
    </SectionFrame>
  )
}

/**
 * Explains whether new feedback is also emailed to support. Returns undefined while `sendsMail` is
 * unknown.
 */
function deliveryNote(sendsMail: boolean | undefined): string | undefined {
  if (sendsMail === undefined) return undefined
  if (!sendsMail) return 'This server sends no email. New feedback appears only here.'
  return `Also emailed to support, except for likely spam: at most ${maxFeedbackEmailsPerHour} an hour, then a summary.`
}

/**
 * Returns the end of the sentence that starts with 'An email about it stays', or an empty string
 * while `sendsMail` is unknown.
 */
function emailLocationText(sendsMail: boolean | undefined): string {
  if (sendsMail === undefined) return ''
  return sendsMail ? ' in the inbox of support' : ' in the folder outbox of the server'
}

function FeedbackRow({ feedback, now }: { feedback: Feedback; now: Date }) {
  const { id, name, email, category, message, createdAt, isSuspect } = feedback
  const client = useQueryClient()
  const emailLocation = emailLocationText(useSendsMail())
  const { mutate: remove, isPending } = useMutation({
    mutationFn: () =>
      call('DELETE /api/admin/feedback/{id}', { params: { id } }).catch(
        ignoreErrors('FEEDBACK_NOT_FOUND'),
      ),
    onSuccess: () => {
      void refreshAdminData(client)
      toast({ title: 'Feedback deleted' })
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to delete the feedback'),
  })
  const confirmAndDelete = async () => {
    const isConfirmed = await confirm({
      title: `Delete the feedback from ${name}?`,
      description: `It is deleted permanently. An email about it stays${emailLocation}.`,
      confirmLabel: 'Delete',
      focusAfter: () => document.getElementById('feedback'),
    })
    if (isConfirmed) remove()
  }
  return (
    <li className="border-line border-t px-4 py-4 first:border-t-0 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="min-w-0 font-[600] text-base leading-normal tracking-normal wrap-anywhere">
          {name}
        </h3>
        {category ? <Badge tone="outline">{categoryLabels[category]}</Badge> : null}
        {isSuspect ? <Badge tone="red">Likely spam</Badge> : null}
        <span className="ml-auto">
          <Button
            size="small"
            label={`Delete the feedback from ${name}`}
            pending={isPending}
            pendingLabel="Deleting…"
            onClick={() => void confirmAndDelete()}
          >
            Delete
          </Button>
        </span>
      </div>
      <p className="mt-0.5 flex flex-wrap gap-x-2 text-muted text-sm">
        <EmailLink address={email} />
        <time dateTime={createdAt} className="inline-flex min-h-6 items-center tabular-nums">
          {pastTimestampText(new Date(createdAt), now)}
        </time>
      </p>
      <Message text={message} from={name} />
    </li>
  )
}

function Message({ text, from }: { text: string; from: string }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const isLong = isLongText(text)
  return (
    <>
      <p
        id={id}
        dir="auto"
        className={`mt-1.5 max-w-[68ch] whitespace-pre-line wrap-anywhere ${isLong && !isOpen ? 'line-clamp-5' : ''}`}
      >
        {text}
      </p>
      {isLong ? (
        <ExpandButton id={id} isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show all'}
          <span className="sr-only"> of the message from {from}</span>
        </ExpandButton>
      ) : null}
    </>
  )
}

/** Messages with more characters or lines than this are initially collapsed. */
const maxShownLength = 320
const maxLines = 5

/** Reports whether a feedback message is long enough to be initially collapsed. */
export function isLongText(text: string): boolean {
  return text.length > maxShownLength || text.split('\n').length > maxLines
}
