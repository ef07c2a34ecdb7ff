import { Mail } from 'lucide-react'
import { useSendsMail, useSupportEmail } from '../../api/public-values.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { mailWaits } from '../mail-waits.ts'
import { ChangePasswordForm } from './change-password-form.tsx'
import { useAskForPasswordLetter, useWays } from './use-ways.ts'

/** Changes the password. If the account has none, it offers an email with a link to set one. */
export function PasswordSection({ email }: { email: string }) {
  const { ways, isFailed } = useWays()
  const hasPassword = ways ? ways.some(({ way }) => way === 'password') : isFailed
  return (
    <Card className="p-5 sm:p-6">
      {hasPassword ? (
        <ChangePasswordForm email={email} />
      ) : ways ? (
        <NoPassword email={email} />
      ) : (
        <Loading label="Loading">
          <Skeleton className="h-4 w-32" />
          <Skeleton className="mt-2 h-11 w-full" />
          <Skeleton className="mt-5 h-11 w-full" />
        </Loading>
      )}
    </Card>
  )
}

function NoPassword({ email }: { email: string }) {
  const sendsMail = useSendsMail() ?? true
  const waits = mailWaits({ sendsMail, supportEmail: useSupportEmail() })
  const { mutate, isPending } = useAskForPasswordLetter(waits)
  return (
    <>
      <p className="wrap-anywhere">
        This account has no password. The link in an email to {email} lets you set one; all sessions
        end with it, and you sign in again. {waits}
      </p>
      <div className="mt-5">
        <Button
          icon={<Mail />}
          pending={isPending}
          pendingLabel="Sending..."
          onClick={() => mutate(email)}
        >
          Send the email
        </Button>
      </div>
    </>
  )
}
