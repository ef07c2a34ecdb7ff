import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SessionView } from '../../../shared/contract/own-account.ts'
import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { localDayText, localTimestampText } from '../../../shared/rules/format/timestamp-text.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../../shared/rules/format/units.ts'
import { call, ignoreErrors } from '../../api/call.ts'
import { serverNow } from '../../api/server-clock.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryContent } from '../../ui/load-error.tsx'
import { RowsLoading } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import { showCallError } from '../use-auth-form.ts'
import { sessionsQuery } from './account-queries.ts'
import { IconRow } from './icon-row.tsx'

/** The user's sessions, with buttons that end other sessions individually or all at once. */
export function SessionList() {
  return (
    <QueryContent
      query={useQuery(sessionsQuery)}
      failed="Your sessions could not be loaded"
      loading={<RowsLoading label="Loading your sessions" rows={2} />}
    >
      {(sessions) => <Sessions sessions={sessions} now={serverNow()} />}
    </QueryContent>
  )
}

function Sessions({ sessions, now }: { sessions: SessionView[]; now: Date }) {
  const client = useQueryClient()
  const onSuccess = async (title: string, description?: string) => {
    await client.invalidateQueries(sessionsQuery)
    toast({ title, ...(description && { description }) })
    // The pressed button is now disabled or was removed with its row, so focus moves to the
    // heading.
    document.getElementById('sessions')?.focus()
  }
  const onError = (error: unknown) =>
    showCallError(error, 'Sign out failed', 'Failed to end the session. Please try again.')
  const endSessionMutation = useMutation({
    mutationFn: ({ id }: SessionView) =>
      call('DELETE /api/auth/sessions/{id}', { params: { id } }).catch(
        ignoreErrors('SESSION_NOT_FOUND'),
      ),
    onSuccess: (_, session) => onSuccess('Signed out', sessionName(session)),
    onError,
  })
  const endOtherSessionsMutation = useMutation({
    mutationFn: () => call('DELETE /api/auth/sessions'),
    onSuccess: ({ message }) => onSuccess(message),
    onError,
  })

  return (
    <Card>
      <ul>
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            now={now}
            action={
              session.isCurrent ? null : (
                <Button
                  size="small"
                  label={`Sign out ${sessionName(session)}`}
                  pending={
                    endSessionMutation.isPending && endSessionMutation.variables.id === session.id
                  }
                  disabled={endOtherSessionsMutation.isPending}
                  onClick={() => endSessionMutation.mutate(session)}
                >
                  Sign out
                </Button>
              )
            }
          />
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t px-4 py-3.5 sm:px-5">
        <p className="text-muted text-sm">
          {sessions.length > 1
            ? 'Ends all sessions except this one.'
            : 'You are signed in only here.'}
        </p>
        <Button
          size="small"
          disabled={sessions.length < 2}
          pending={endOtherSessionsMutation.isPending}
          pendingLabel="Signing out..."
          onClick={() => endOtherSessionsMutation.mutate()}
        >
          Sign out everywhere
        </Button>
      </div>
    </Card>
  )
}

interface SessionRowProps {
  session: SessionView
  now: Date
  action: ReactNode
}

function SessionRow({ session, now, action }: SessionRowProps) {
  const startedAt = new Date(session.createdAt)
  const lastSeenAt = new Date(session.lastSeenAt)
  return (
    <IconRow
      icon={isHandheld(session.browser) ? <Smartphone /> : <Monitor />}
      title={
        <>
          <span title={session.userAgent ?? undefined}>{sessionName(session)}</span>
          {session.isCurrent ? <Badge>This session</Badge> : null}
        </>
      }
      action={action}
    >
      {session.browser === null && session.userAgent ? (
        <>
          <span className="wrap-anywhere">{truncateUserAgent(session.userAgent)}</span>
          <Dot />
        </>
      ) : null}
      <span className="wrap-anywhere">{session.ipAddress ?? 'Unknown address'}</span>
      <Dot />
      <span className="inline-block" title={localTimestampText(startedAt, now)}>
        since {localDayText(startedAt, now)}
      </span>
      <Dot />
      <span className="inline-block" title={localTimestampText(lastSeenAt, now)}>
        {session.isCurrent ? 'now' : `seen ${lastSeenText(lastSeenAt, now)}`}
      </span>
    </IconRow>
  )
}

function truncateUserAgent(userAgent: string): string {
  return userAgent.length > 60 ? `${userAgent.slice(0, 59)}…` : userAgent
}

/** A separator that never starts a line, because a no-break space precedes it. */
function Dot() {
  return <span aria-hidden="true">{'\u00a0· '}</span>
}

/**
 * Says when a session was last used: 'just now', '25 minutes ago', '2 hours ago' or 'on 11 Nov'.
 * Anything under ten minutes is 'just now', because the server updates the time only every ten
 * minutes. A time in the future, which a wrong clock can cause, is also 'just now'.
 */
export function lastSeenText(lastSeenAt: Date, now: Date): string {
  const elapsedMs = now.getTime() - lastSeenAt.getTime()
  if (elapsedMs < 10 * minuteInMs) return 'just now'
  if (elapsedMs < hourInMs) return `${Math.floor(elapsedMs / minuteInMs)} minutes ago`
  if (elapsedMs < dayInMs) return `${formatCount(Math.floor(elapsedMs / hourInMs), 'hour')} ago`
  return `on ${localDayText(lastSeenAt, now)}`
}

/** Reports whether a browser name from the server refers to a phone or tablet. */
export function isHandheld(browser: string | null): boolean {
  return /\b(Android|iOS|Windows Phone)\b/.test(browser ?? '')
}

function sessionName({ browser }: SessionView): string {
  return browser ?? 'Unknown browser'
}
