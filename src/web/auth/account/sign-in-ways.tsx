import { CircleAlert, LockKeyhole } from 'lucide-react'
import { useRef, useState } from 'react'
import { localDayText } from '../../../shared/rules/format/moment-text.ts'
import type { CallAnswer } from '../../api/call.ts'
import { serverNow } from '../../api/look-again.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { GoogleMark } from '../google-mark.tsx'
import { AddGoogle } from './add-google.tsx'
import { useRemoveGoogle, useWays } from './use-ways.ts'
import { WayRow, WayRowsLoading } from './way-row.tsx'

const onlyWay = 'Google is the only way in. Set a password first.'

type Ways = CallAnswer<'listOwnWays'>

/**
 * The ways to sign in to the account. A button removes Google from the account, or adds it if the
 * server offers Google.
 */
export function SignInWays({ email }: { email: string }) {
  const { ways, hasGoogleHere, isFailed, retry } = useWays()
  if (ways) return <WayList ways={ways} hasGoogleHere={hasGoogleHere} email={email} />
  if (!isFailed) return <WayRowsLoading label="Loading the ways to sign in" rows={1} />
  return (
    <Card>
      <EmptyState
        failed
        icon={<CircleAlert />}
        title="The ways to sign in could not be loaded"
        action={<Button onClick={retry}>Try again</Button>}
      >
        Check your connection and try again.
      </EmptyState>
    </Card>
  )
}

interface WayListProps {
  ways: Ways
  hasGoogleHere: boolean
  email: string
}

function WayList({ ways, hasGoogleHere, email }: WayListProps) {
  const since = (way: Ways[number]['way']) => ways.find((one) => one.way === way)?.since
  const password = since('password')
  const google = since('google')
  const [asks, setAsks] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  return (
    <Card>
      <ul ref={list}>
        <WayRow icon={<LockKeyhole />} title="Password">
          {password ? `Set on ${dayOf(password)}` : 'Not set'}
        </WayRow>
        {google || hasGoogleHere ? (
          <WayRow
            icon={<GoogleMark />}
            title="Google"
            action={
              google ? (
                <Button
                  size="small"
                  label="Remove Google"
                  unavailable={ways.length === 1 ? onlyWay : undefined}
                  onClick={() => setAsks(true)}
                >
                  Remove
                </Button>
              ) : (
                <AddGoogle email={email} />
              )
            }
          >
            {google ? `Added on ${dayOf(google)}` : 'Not added'}
          </WayRow>
        ) : null}
      </ul>
      <RemoveGoogle
        open={asks}
        onOpenChange={setAsks}
        heading={() => list.current?.closest('section')?.querySelector('h2') ?? null}
      />
    </Card>
  )
}

function dayOf(since: string): string {
  return localDayText(new Date(since), serverNow())
}

interface RemoveGoogleProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /**
   * Returns the element that gets the focus after Google is removed, because the pressed button no
   * longer exists then.
   */
  heading: () => HTMLElement | null
}

function RemoveGoogle({ open, onOpenChange, heading }: RemoveGoogleProps) {
  const { mutate, isPending } = useRemoveGoogle()
  const isRemoved = useRef(false)
  const remove = () => {
    isRemoved.current = false
    mutate(undefined, {
      onSuccess: () => {
        isRemoved.current = true
      },
      onSettled: () => onOpenChange(false),
    })
  }
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Remove Google from your account?"
      description="You sign in with your password from then on. All other sessions end."
      confirmLabel="Remove Google"
      pending={isPending}
      pendingLabel="Removing..."
      onConfirm={remove}
      finalFocus={() => (isRemoved.current ? heading() : true)}
    />
  )
}
