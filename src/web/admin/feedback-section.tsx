import {
  type InfiniteData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { useId, useState } from 'react'
import type { Feedback } from '../../shared/contract/feedback.ts'
import { categoryLabels, maxFeedbackEmailsPerHour } from '../../shared/rules/accounts/feedback.ts'
import { pastMomentText } from '../../shared/rules/format/moment-text.ts'
import { ApiError, call, callForPage, type ListPage } from '../api/call.ts'
import { useSendsMail } from '../api/public-values.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { toast } from '../ui/toast.tsx'
import { errorText } from './error-text.ts'
import { PagedList, pageSize, pagesFrom } from './paged-list.tsx'
import { refreshAfterAct } from './refresh.ts'
import { SectionFrame, type SectionProps } from './section.tsx'
import { useQuestion } from './use-question.ts'

/**
 * The feedback that people sent, newest first. The administrator can delete each. A mark shows
 * which feedback a robot has probably sent.
 */
export function FeedbackSection({ id, title }: SectionProps) {
  const deletion = useDeletion(id)
  const sendsMail = useSendsMail()
  return (
    <SectionFrame id={id} title={title} note={noteOf(sendsMail)}>
      <PagedList
        query={useFeedback()}
        what="feedback"
        label={title}
        empty={
          <EmptyState icon={<MessageSquare />} title="No feedback yet">
            Messages from the feedback page appear here
            {sendsMail ? ' and are emailed to support' : ''}.
          </EmptyState>
        }
        row={(feedback, now) => (
          <FeedbackRow
            key={feedback.id}
            feedback={feedback}
            now={now}
            onDelete={() => deletion.ask(feedback)}
          />
        )}
      />
      {deletion.dialog}
    </SectionFrame>
  )
}

/** Says who learns of new feedback without looking here. */
function noteOf(sendsMail: boolean | undefined): string | undefined {
  if (sendsMail === undefined) return undefined
  if (!sendsMail) return 'This server sends no email. New feedback appears only here.'
  return `Mailed to support too, ${maxFeedbackEmailsPerHour} an hour at most and none from robots. An email after the hour tells of the others.`
}

/**
 * Returns a function that asks before feedback is deleted, and the dialog for this question.
 * @param headingId the element that gets the focus after a deletion, because the row is gone then.
 */
function useDeletion(headingId: string) {
  const { asked, ask, finish, dialogProps } = useQuestion<Feedback>(headingId)
  const { mutate: remove, isPending } = useDeleteFeedback()
  const left = leftIn(useSendsMail())
  const dialog = asked ? (
    <ConfirmDialog
      {...dialogProps}
      title={`Delete the feedback from ${asked.name}?`}
      description={`It is deleted for good. An email about it stays${left}.`}
      confirmLabel="Delete"
      onConfirm={() => remove(asked, { onSuccess: finish })}
      pending={isPending}
      pendingLabel="Deleting…"
    />
  ) : null
  return { ask, dialog }
}

/** Says where the emails about feedback are, once that is known. */
function leftIn(sendsMail: boolean | undefined): string {
  if (sendsMail === undefined) return ''
  return sendsMail ? ' in the inbox of support' : ' in the folder outbox of the server'
}

interface FeedbackRowProps {
  feedback: Feedback
  now: Date
  onDelete: () => void
}

function FeedbackRow({ feedback, now, onDelete }: FeedbackRowProps) {
  const { name, email, category, message, createdAt, isSuspect } = feedback
  return (
    <li className="border-line border-t px-4 py-4 first:border-t-0 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="min-w-0 font-[600] text-base leading-normal tracking-normal wrap-anywhere">
          {name}
        </h3>
        {category ? <Badge tone="outline">{categoryLabels[category]}</Badge> : null}
        {isSuspect ? <Badge tone="red">Likely spam</Badge> : null}
        <span className="ml-auto">
          <Button size="small" label={`Delete the feedback from ${name}`} onClick={onDelete}>
            Delete
          </Button>
        </span>
      </div>
      <p className="mt-0.5 flex flex-wrap gap-x-2 text-muted text-sm">
        <a
          href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`}
          className="inline-flex min-h-6 min-w-0 items-center underline underline-offset-3 wrap-anywhere hover:decoration-2"
        >
          {email}
        </a>
        <time dateTime={createdAt} className="inline-flex min-h-6 items-center tabular-nums">
          {pastMomentText(new Date(createdAt), now)}
        </time>
      </p>
      <Message text={message} from={name} />
    </li>
  )
}

/**
 * The text of a feedback. For a long text, only the beginning is shown until somebody presses a
 * button.
 */
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
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="mt-1 min-h-6 rounded-[4px] font-[560] text-accent text-sm underline underline-offset-3 hover:decoration-2 pointer-coarse:min-h-11"
        >
          {isOpen ? 'Show less' : 'Show all'}
          <span className="sr-only"> of the message from {from}</span>
        </button>
      ) : null}
    </>
  )
}

/** If a text has more characters or lines than this, only its beginning is shown at first. */
const longestShown = 320
const mostLines = 5

/** Tells whether only the beginning of a text is shown at first. */
export function isLongText(text: string): boolean {
  return text.length > longestShown || text.split('\n').length > mostLines
}

const feedbackKey = ['/api/admin/feedback']

/** Loads all feedback page by page, newest first. It loads again each time the page is opened. */
export function useFeedback() {
  return useInfiniteQuery({
    queryKey: feedbackKey,
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listFeedback', { query: { limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    staleTime: 0,
  })
}

/** Deletes one feedback for good. Feedback that another window has deleted is a success too. */
function useDeleteFeedback() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id }: Feedback) => {
      try {
        await call('deleteFeedback', { params: { id } })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'FEEDBACK_NOT_FOUND')) throw error
      }
    },
    onSuccess: (_, { id }) => {
      client.setQueryData<InfiniteData<ListPage<Feedback[]>>>(
        feedbackKey,
        (known) =>
          known && {
            ...known,
            pages: known.pages.map((page) => ({
              ...page,
              items: page.items.filter((feedback) => feedback.id !== id),
            })),
          },
      )
      void client.invalidateQueries({ queryKey: feedbackKey })
      refreshAfterAct(client)
      toast({ title: 'Feedback deleted' })
    },
    onError: (error) => {
      if (saysSignedOut(error)) return
      const title = 'Failed to delete the feedback'
      toast({ title, description: errorText(error), tone: 'destructive' })
    },
  })
}
