import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { User } from '../../../shared/contract/account.ts'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import { withNext } from '../../../shared/rules/accounts/next-path.ts'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { ApiError, call } from '../../api/call.ts'
import { signInWaysQuery, useSendsMail } from '../../api/public-values.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { ButtonRow, DialogButtons, FormDialog } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { GoogleLogo } from '../../ui/google-logo.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAuthForm } from '../use-auth-form.ts'
import { holdingsQuery, ownSignInWaysQuery } from './account-queries.ts'
import { HiddenUsername } from './password-section.tsx'

export interface DeleteAccountProps {
  user: User
  /** Called once the account is deleted. Leaves the page. */
  onDeleted: () => Promise<void>
}

/** The button that opens the dialog for deleting the account. */
export function DeleteAccount({ user, onDeleted }: DeleteAccountProps) {
  const { data: ways } = useQuery(ownSignInWaysQuery)
  const { data: server } = useQuery(signInWaysQuery)
  const [hasSignedIn, setSignedIn] = useGoogleReturn(user)
  const hasPassword = ways?.some(({ way }) => way === 'password') ?? !hasSignedIn
  const [isOpen, setOpen] = useState(hasSignedIn)
  return (
    <>
      <Button
        unavailable={hasPassword || server?.google !== false ? undefined : 'Set a password first.'}
        onClick={() => setOpen(true)}
      >
        Delete account
      </Button>
      <FormDialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Delete account"
        description={
          <span className="wrap-anywhere">
            Your account ({user.email}) and everything in it will be deleted immediately. This
            cannot be undone.
          </span>
        }
      >
        <DeletedData />
        {hasPassword || hasSignedIn ? (
          <DeletionForm
            email={user.email}
            hasPassword={hasPassword}
            onDeleted={onDeleted}
            onSignInNeeded={() => setSignedIn(false)}
          />
        ) : (
          <GoogleConfirmation userId={user.id} onCancel={() => setOpen(false)} />
        )}
      </FormDialog>
    </>
  )
}

/** The query parameter with the id of the user who signed in again to delete the account. */
const returnParameter = 'delete'

/**
 * Whether the user has come back from signing in again, and a function that changes it. Removes the
 * query parameter, so that a reload doesn't open the dialog again. If Google has signed in to
 * another account, says so, because that one must not be deleted instead.
 */
function useGoogleReturn(user: User) {
  const [searchParams, setSearch] = useSearchParams()
  const returnedId = searchParams.get(returnParameter)
  const returnState = useState(returnedId === user.id)
  useEffect(() => {
    if (returnedId === null) return
    if (returnedId !== user.id) {
      toast({
        title: 'Account not deleted',
        description: `Google signed you in to another account: ${user.email}.`,
        tone: 'destructive',
      })
    }
    setSearch((previous) => [...previous].filter(([name]) => name !== returnParameter), {
      replace: true,
    })
  }, [returnedId, user, setSearch])
  return returnState
}

/** Lists what is deleted with the account. */
function DeletedData() {
  const { data } = useQuery(holdingsQuery)
  const sendsMail = useSendsMail()
  const filesText = data
    ? `${formatCount(data.fileCount, 'file')} (${formatSize(data.totalSize)}) and ${formatCount(data.activeLinks, 'active link')}`
    : 'All files and links'
  return (
    <>
      <ul className="mb-4 grid list-disc gap-1 pl-5 marker:text-muted">
        <li>{filesText}, and uploads under way</li>
        <li>Requests, and what people sent you</li>
        <li>History, receipts and statistics</li>
        <li>API keys and all sessions</li>
        <li>Branding and settings</li>
        <li>Emails that have not been sent yet</li>
      </ul>
      {sendsMail ? <p className="mb-5 text-muted text-sm">You get a receipt by email.</p> : null}
    </>
  )
}

interface DeletionFormProps extends Pick<DeleteAccountProps, 'onDeleted'> {
  email: string
  hasPassword: boolean
  /** Called if signing in with Google was too long ago. */
  onSignInNeeded: () => void
}

function DeletionForm({ email, hasPassword, onDeleted, onSignInNeeded }: DeletionFormProps) {
  const form = useAuthForm({
    schema: ownAccount.deleteAccount.body,
    send: async (body) => {
      try {
        await call('DELETE /api/auth/user', { body })
      } catch (error) {
        if (error instanceof ApiError && error.code === 'SIGN_IN_AGAIN') onSignInNeeded()
        throw error
      }
      await onDeleted()
      return 'leave'
    },
    failed: {
      title: 'Account not deleted',
      description: 'Failed to delete the account. Please try again.',
    },
    errorsByCode: { WRONG_PASSWORD: { password: 'This is not your password.' } },
  })
  return (
    <Form {...form}>
      {hasPassword ? (
        <>
          <HiddenUsername email={email} />
          <PasswordField
            label="Your password"
            name="password"
            autoComplete="current-password"
            required
          />
        </>
      ) : null}
      <DialogButtons label="Delete account" variant="danger" pendingLabel="Deleting..." />
    </Form>
  )
}

/** Asks a user without a password to sign in with Google again. */
function GoogleConfirmation({ userId, onCancel }: { userId: string; onCancel: () => void }) {
  const next = `/account?${returnParameter}=${userId}`
  return (
    <>
      <p className="mb-5">First confirm with Google that it is you. Nothing is deleted yet.</p>
      <ButtonRow>
        <Button onClick={onCancel}>Cancel</Button>
        <ButtonLink href={withNext('/api/login', next)} icon={<GoogleLogo />}>
          Continue with Google
        </ButtonLink>
      </ButtonRow>
    </>
  )
}
