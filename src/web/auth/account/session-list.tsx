import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Monitor, Smartphone } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import type { SessionView } from '../../../shared/contract/own-account.ts'
import { localDayText, localMomentText } from '../../../shared/rules/format/moment-text.ts'
import { counted } from '../../../shared/rules/format/numbers.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../../shared/rules/format/units.ts'
import { ApiError, call } from '../../api/call.ts'
import { serverClock } from '../../api/server-clock.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { tellUnlessSignedOut } from '../use-auth-form.ts'
import { WayRow, WayRowsLoading } from './way-row.tsx'

/** How many sessions are shown at first. */
const shownAtFirst = 6

/**
 * The user's sessions. Each but the current one has a button that ends it. Another button ends all
 * of them but the current one.
 */
export function SessionList() {
  const { data: sessions, isError, isFetching, refetch } = useSessions()
  if (sessions) return <Sessions sessions={sessions} now={new Date(serverClock().now())} />
  if (!isError || isFetching) return <WayRowsLoading label="Loading your sessions" rows={2} />
  return (
    <Card>
      <EmptyState
        failed
        icon={<CircleAlert />}
        title="Your sessions could not be loaded"
        action={<Button onClick={() => void refetch()}>Try again</Button>}
      >
        Check your connection and try again.
      </EmptyState>
    </Card>
  )
}

function Sessions({ sessions, now }: { sessions: SessionView[]; now: Date }) {
  const [showsAll, setShowsAll] = useState(false)
  const { mutate: endSession, variables: ending, isPending } = useEndSession()
  const endOthers = useEndOtherSessions()
  const card = useRef<HTMLDivElement>(null)
  // The pressed button is removed with its row, or cannot be pressed any more. So the focus moves
  // to the section's heading.
  const focusHeading = () =>
    card.current?.closest('section')?.querySelector<HTMLElement>('h2')?.focus()
  const shown = showsAll ? sessions : sessions.slice(0, shownAtFirst)
  const hidden = sessions.length - shown.length

  return (
    <div ref={card}>
      <Card>
        <ul>
          {shown.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              now={now}
              action={
                session.isCurrent ? null : (
                  <Button
                    size="small"
                    label={`Sign out ${sessionName(session)}`}
                    pending={isPending && ending.id === session.id}
                    disabled={endOthers.isPending}
                    onClick={() => endSession(session, { onSuccess: focusHeading })}
                  >
                    Sign out
                  </Button>
                )
              }
            />
          ))}
        </ul>
        {hidden > 0 ? (
          <div className="border-line border-t px-4 py-2 sm:px-5">
            <Button variant="quiet" size="small" wide onClick={() => setShowsAll(true)}>
              Show {hidden} more
            </Button>
          </div>
        ) : null}
        <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t px-4 py-3.5 sm:px-5">
          <p className="text-muted text-sm">
            {sessions.length > 1
              ? 'Ends all but this one, at once.'
              : 'You are signed in here alone.'}
          </p>
          <Button
            size="small"
            disabled={sessions.length < 2}
            pending={endOthers.isPending}
            pendingLabel="Signing out..."
            onClick={() => endOthers.mutate(undefined, { onSuccess: focusHeading })}
          >
            Sign out everywhere
          </Button>
        </div>
      </Card>
    </div>
  )
}

interface SessionRowProps {
  session: SessionView
  now: Date
  action: ReactNode
}

function SessionRow({ session, now, action }: SessionRowProps) {
  const since = new Date(session.createdAt)
  const lastSeen = new Date(session.lastSeenAt)
  return (
    <WayRow
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
          <span className="wrap-anywhere">{clipped(session.userAgent)}</span>
          <Dot />
        </>
      ) : null}
      <span className="wrap-anywhere">{session.ipAddress ?? 'Unknown address'}</span>
      <Dot />
      <span className="inline-block" title={localMomentText(since, now)}>
        since {localDayText(since, now)}
      </span>
      <Dot />
      <span className="inline-block" title={localMomentText(lastSeen, now)}>
        {session.isCurrent ? 'now' : `seen ${lastSeenText(lastSeen, now)}`}
      </span>
    </WayRow>
  )
}

/** Returns the `User-Agent` text unchanged, but shortens it to 60 characters. */
function clipped(userAgent: string): string {
  return userAgent.length > 60 ? `${userAgent.slice(0, 59)}…` : userAgent
}

/** A separating dot. It always stays on the line of the text before it. */
function Dot() {
  return <span aria-hidden="true">{'\u00a0· '}</span>
}

/**
 * Returns when a session was last used, as people say it: 'just now', '25 minutes ago', '2 hours
 * ago', 'on 11 Nov'. Less than ten minutes is 'just now', because the server records a use only
 * every ten minutes. A moment in the future, from a wrong clock, is 'just now' too.
 */
export function lastSeenText(lastSeen: Date, now: Date): string {
  const passed = now.getTime() - lastSeen.getTime()
  if (passed < 10 * minuteInMs) return 'just now'
  if (passed < hourInMs) return `${Math.floor(passed / minuteInMs)} minutes ago`
  if (passed < dayInMs) return `${counted(Math.floor(passed / hourInMs), 'hour')} ago`
  return `on ${localDayText(lastSeen, now)}`
}

/**
 * True if the name of a browser, as the server gives it, says that it runs on a phone or a tablet.
 */
export function isHandheld(browser: string | null): boolean {
  return /\b(Android|iOS|Windows Phone)\b/.test(browser ?? '')
}

/**
 * The query for the user's sessions. Each visit reads it again, because people expect the current
 * list.
 */
export const sessionsQuery = queryOptions({
  queryKey: ['/api/auth/sessions'],
  queryFn: ({ signal }) => call('listSessions', { signal }),
  refetchOnMount: 'always',
})

/** Returns the user's sessions. Each visit asks for them anew. */
function useSessions() {
  return useQuery(sessionsQuery)
}

/** Returns the name of a session for people. */
function sessionName({ browser }: SessionView): string {
  return browser ?? 'Unknown browser'
}

/** Ends one of the user's sessions. If it has ended already, this is a success too. */
function useEndSession() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async ({ id }: SessionView) => {
      try {
        await call('endSession', { params: { id } })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'SESSION_NOT_FOUND')) throw error
      }
    },
    onSuccess: (_, session) => {
      refresh((all) => all.filter(({ id }) => id !== session.id))
      toast({ title: 'Signed out', description: sessionName(session) })
    },
    onError: tell,
  })
}

/** Ends all of the user's sessions except this one. */
function useEndOtherSessions() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call('endOtherSessions'),
    onSuccess: ({ message }) => {
      refresh((all) => all.filter(({ isCurrent }) => isCurrent))
      toast({ title: message })
    },
    onError: tell,
  })
}

/** Returns a function that changes the shown list immediately, and then reads it again. */
function useRefresh() {
  const client = useQueryClient()
  return (change: (sessions: SessionView[]) => SessionView[]) => {
    client.setQueryData(sessionsQuery.queryKey, (sessions) => sessions && change(sessions))
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }
}

function tell(error: unknown): void {
  tellUnlessSignedOut(error, 'Sign out failed', 'Failed to end the session. Please try again.')
}
