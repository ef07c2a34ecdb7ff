import { useSearchParams } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { readSignInFault, type SignInFault } from '../../shared/rules/sign-in-fault.ts'
import { useSignInWays } from '../api/use-sign-in-ways.ts'
import { useSupportEmail } from '../api/use-support-email.ts'
import { ForgotPassword } from '../auth/forgot-password.tsx'
import { GoogleButton } from '../auth/google-button.tsx'
import { LoginForm } from '../auth/login-form.tsx'
import { SignInFaultNote } from '../auth/sign-in-fault-note.tsx'
import { useNext } from '../auth/use-next.ts'
import { KeptFilesNote } from '../uploads/kept/kept-files-note.tsx'
import { AuthPage } from './auth-page.tsx'
import { PageLink } from './page-link.tsx'
import { VisitorScreen } from './screen-sets.tsx'

/**
 * Spec §2: email and password, a button for Google, and a link to the signup. After a failed
 * sign-in with Google the browser comes here, and the query `fault` names the reason. Only a known
 * reason is shown, never other text from the URL.
 */
export function LoginPage() {
  const [search] = useSearchParams()
  const fault = readSignInFault(search.get('fault'))
  // A person who is signed in already must read the reason too. `VisitorScreen` would send them
  // to another page.
  if (fault !== null) return <Login fault={fault} />
  return (
    <VisitorScreen>
      <Login />
    </VisitorScreen>
  )
}

function Login({ fault }: { fault?: SignInFault }) {
  // The signup page passes the address on, so that the person need not type it twice.
  const from = useHistoryState<{ email?: string } | null>()
  const next = useNext()
  const { signup, sendsMail } = useSignInWays()
  const supportEmail = useSupportEmail()
  return (
    <AuthPage
      title="Sign in"
      lead="Your files and their links are on the other side."
      other={
        signup === 'closed' ? null : (
          <>
            No account yet?{' '}
            <PageLink to="/signup" next={next}>
              Sign up
            </PageLink>
          </>
        )
      }
    >
      {fault ? <SignInFaultNote fault={fault} /> : null}
      <KeptFilesNote />
      <LoginForm email={from?.email} next={next} />
      <div className="mt-3">
        <ForgotPassword sendsMail={sendsMail} supportEmail={supportEmail} />
      </div>
      <GoogleButton>Sign in with Google</GoogleButton>
    </AuthPage>
  )
}
