import { useHistoryState } from 'wouter/use-browser-location'
import { ForgotPassword } from '../auth/forgot-password.tsx'
import { GoogleButton } from '../auth/google-button.tsx'
import { LoginForm } from '../auth/login-form.tsx'
import { SignInFaultNote } from '../auth/sign-in-fault-note.tsx'
import { AuthPage } from './auth-page.tsx'
import { PageLink } from './page-link.tsx'

/** Spec §2: email and password, a button for Google, and a link to the signup. */
export function LoginPage() {
  // The signup passes the address on, so that the person need not type it twice.
  const from = useHistoryState<{ email?: string } | null>()
  return (
    <AuthPage
      title="Sign in"
      lead="Your files and their links are on the other side."
      other={
        <>
          No account yet? <PageLink to="/signup">Sign up</PageLink>
        </>
      }
    >
      <SignInFaultNote />
      <LoginForm email={from?.email} />
      <div className="mt-3">
        <ForgotPassword />
      </div>
      <GoogleButton>Sign in with Google</GoogleButton>
    </AuthPage>
  )
}
