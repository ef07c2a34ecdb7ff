import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import {
  parseSignInError,
  signInErrorMessages,
} from '../../../shared/rules/accounts/sign-in-error.ts'
import { localDayText } from '../../../shared/rules/format/timestamp-text.ts'
import { call } from '../../api/call.ts'
import { signInWaysQuery } from '../../api/public-values.ts'
import { serverNow } from '../../api/server-clock.ts'
import { currentUserQuery } from '../../api/use-current-user.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { DialogButtons, FormDialog } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { GoogleLogo } from '../../ui/google-logo.tsx'
import { QueryContent } from '../../ui/load-error.tsx'
import { RowsLoading } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import { showCallError, useAuthForm } from '../use-auth-form.ts'
import { ownSignInWaysQuery, sessionsQuery } from './account-queries.ts'
import { IconRow } from './icon-row.tsx'
import { HiddenUsername, wrongPasswordErrors } from './password-section.tsx'

const cannotRemoveGoogleReason = 'Google is the only way in. Set a password first.'

/**
 * The account's sign-in methods. A button removes Google or, if the server supports Google sign-in,
 * adds it.
 */
export function SignInWays({ email }: { email: string }) {
  const query = useQuery(ownSignInWaysQuery)
  const isGoogleOffered = useQuery(signInWaysQuery).data?.google ?? false
  return (
    <QueryContent
      query={query}
      failed="The ways to sign in could not be loaded"
      loading={<RowsLoading label="Loading the ways to sign in" rows={1} />}
    >
      {(ways) => {
        const findAddedAt = (way: (typeof ways)[number]['way']) =>
          ways.find((entry) => entry.way === way)?.since
        const passwordAddedAt = findAddedAt('password')
        const googleAddedAt = findAddedAt('google')
        return (
          <Card>
            <ul>
              <IconRow icon={<LockKeyhole />} title="Password">
                {passwordAddedAt ? `Set on ${formatDay(passwordAddedAt)}` : 'Not set'}
              </IconRow>
              {googleAddedAt || isGoogleOffered ? (
                <IconRow
                  icon={<GoogleLogo />}
                  title="Google"
                  action={
                    googleAddedAt ? (
                      <RemoveGoogleButton
                        unavailable={ways.length === 1 ? cannotRemoveGoogleReason : undefined}
                      />
                    ) : (
                      <AddGoogleButton email={email} />
                    )
                  }
                >
                  {googleAddedAt ? `Added on ${formatDay(googleAddedAt)}` : 'Not added'}
                </IconRow>
              ) : null}
            </ul>
          </Card>
        )
      }}
    </QueryContent>
  )
}

function formatDay(timestamp: string): string {
  return localDayText(new Date(timestamp), serverNow())
}

/** Removes Google from the account. The server also ends all other sessions. */
function RemoveGoogleButton({ unavailable }: { unavailable: string | undefined }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('DELETE /api/auth/user/ways/google'),
    onSuccess: ({ message }) => toast({ title: 'Google removed', description: message }),
    onError: (error) =>
      showCallError(error, 'Google not removed', 'Failed to remove Google. Please try again.'),
    onSettled: () => {
      for (const { queryKey } of [ownSignInWaysQuery, sessionsQuery, currentUserQuery]) {
        void client.invalidateQueries({ queryKey })
      }
    },
  })
  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: 'Remove Google from your account?',
      description: 'You sign in with your password from then on. All other sessions end.',
      confirmLabel: 'Remove Google',
      focusAfter: () => document.getElementById('ways'),
    })
    if (isConfirmed) mutate()
  }
  return (
    <Button
      size="small"
      label="Remove Google"
      unavailable={unavailable}
      pending={isPending}
      pendingLabel="Removing..."
      onClick={() => void confirmAndRemove()}
    >
      Remove
    </Button>
  )
}

/** A button whose dialog asks for the password and then redirects to Google. */
function AddGoogleButton({ email }: { email: string }) {
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
        <AddGoogleForm email={email} />
      </FormDialog>
    </>
  )
}

function AddGoogleForm({ email }: { email: string }) {
  const form = useAuthForm({
    schema: ownAccount.linkGoogle.body,
    send: async (body) => {
      const { url } = await call('POST /api/auth/user/ways/google', { body })
      window.location.assign(url)
      return 'leave'
    },
    failed: { title: 'Google not added', description: 'Failed to add Google. Please try again.' },
    errorsByCode: wrongPasswordErrors,
  })
  return (
    <Form {...form}>
      <HiddenUsername email={email} />
      <PasswordField
        label="Your password"
        name="currentPassword"
        autoComplete="current-password"
        required
      />
      <DialogButtons label="Go to Google" variant="primary" pendingLabel="Opening Google..." />
    </Form>
  )
}

/**
 * After the redirect back from Google, shows a toast that says whether Google was added. Removes
 * the result from the URL so that a reload doesn't show the toast again.
 */
export function useGoogleLinkToast(): void {
  const [searchParams, setSearch] = useSearchParams()
  useEffect(() => {
    const signInError = parseSignInError(searchParams.get('fault'))
    const isLinked = searchParams.get('linked') === 'google'
    if (signInError) {
      toast({
        title: 'Google not added',
        description: signInErrorMessages[signInError],
        tone: 'destructive',
      })
    } else if (isLinked) toast({ title: 'Google added' })
    if (!searchParams.has('fault') && !searchParams.has('linked')) return
    setSearch(
      (previous) => [...previous].filter(([name]) => name !== 'fault' && name !== 'linked'),
      {
        replace: true,
      },
    )
  }, [searchParams, setSearch])
}
