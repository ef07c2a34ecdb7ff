import { CircleAlert, LockKeyhole } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import { readSignInFault } from '../../../shared/rules/accounts/sign-in-fault.ts'
import { localDayText } from '../../../shared/rules/format/moment-text.ts'
import { type CallAnswer, call } from '../../api/call.ts'
import { serverNow } from '../../api/server-clock.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { GoogleMark } from '../google-button.tsx'
import { signInFaultTexts } from '../sign-in-fault.tsx'
import { useAuthForm } from '../use-auth-form.ts'
import { HiddenUsername, wrongPassword } from './password-section.tsx'
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

const names = ['currentPassword'] as const

/**
 * A button that opens a dialog. The dialog asks for the password and then sends the person to
 * Google.
 */
function AddGoogle({ email }: { email: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Add Google
      </Button>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="Add Google"
        description="Enter your password. Then choose the Google account that may sign in here."
      >
        <AddGoogleForm email={email} onCancel={() => setOpen(false)} />
      </FormDialog>
    </>
  )
}

function AddGoogleForm({ email, onCancel }: { email: string; onCancel: () => void }) {
  const form = useAuthForm({
    names,
    schema: ownAccount.linkGoogle.body,
    send: async (body) => {
      const { url } = await call('linkGoogle', { body })
      window.location.assign(url)
      return 'leave'
    },
    failed: { title: 'Google not added', description: 'Failed to add Google. Please try again.' },
    refusals: wrongPassword,
  })
  return (
    <Form {...form}>
      {(busy) => (
        <>
          <HiddenUsername email={email} />
          <PasswordField
            label="Your password"
            name="currentPassword"
            autoComplete="current-password"
            required
            error={form.errors.currentPassword}
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onCancel}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              pending={busy}
              pendingLabel="Leading to Google..."
            >
              Go to Google
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}

/**
 * Shows whether adding Google succeeded, after the browser has come back from Google. Then removes
 * the result from the URL, because a reload would show it again.
 */
export function useGoogleOutcome(): void {
  const [search, setSearch] = useSearchParams()
  useEffect(() => {
    const fault = readSignInFault(search.get('fault'))
    const isLinked = search.get('linked') === 'google'
    if (fault) {
      toast({
        title: 'Google not added',
        description: signInFaultTexts[fault],
        tone: 'destructive',
      })
    } else if (isLinked) toast({ title: 'Google added' })
    if (!search.has('fault') && !search.has('linked')) return
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('fault')
        after.delete('linked')
        return after
      },
      { replace: true },
    )
  }, [search, setSearch])
}
