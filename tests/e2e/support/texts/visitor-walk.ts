import { makeFile, makePerson } from '../../../support/make.ts'
import { offerGoogle } from '../sign-in-screens.ts'
import { answered, banner, dialog, main, open, press, refused, type Stop, send } from './walk.ts'

function newPasswords(one: string, other: string) {
  return send({ 'New password': one, 'Confirm password': other }, 'Reset Password')
}

/** A visitor's screens with their literal texts: public pages, forms and link pages. */
export const visitorWalk: readonly Stop[] = [
  {
    at: 'landing page',
    go: open('/'),
    shows: [
      [banner, ['FAQ', 'Feedback', 'Privacy', 'Terms', 'Sign In', 'Sign Up']],
      [main, ['Get Started', '$8', 'Free', 'Premium', 'Priority support']],
      [(page) => page.getByRole('contentinfo'), ['v0.9.10', /preview version/]],
    ],
  },
  {
    at: 'FAQ',
    go: open('/faq'),
    shows: [
      [
        main,
        [
          'Getting Started',
          'Security & Privacy',
          'File Management',
          'Premium Features',
          'Technical Questions',
          'Account & Billing',
          'Back to home',
          'Still have questions?',
        ],
      ],
    ],
  },
  { at: 'terms', go: open('/terms'), shows: [[main, ['July 12, 2025']]] },
  { at: 'privacy policy', go: open('/privacy'), shows: [[main, ['July 12, 2025']]] },
  {
    at: 'feedback',
    go: open('/feedback'),
    shows: [
      [main, ['Name*', 'Email*', 'Category', 'Message*', 'Preview Version']],
      [
        (page) => page.getByLabel('Category'),
        ['Bug Report', 'Feature Request', 'Improvement Suggestion', 'General Feedback', 'Other'],
      ],
    ],
  },
  {
    at: 'login',
    go: async (stage) => {
      await offerGoogle(stage.page)
      await open('/login')(stage)
    },
    shows: [[main, ['Forgot password?', 'Sign in with Google']]],
  },
  {
    at: 'login that is refused',
    go: async (stage) => {
      stage.noise.expect(/401 \(Unauthorized\).*\/api\/auth\/login$/)
      await send({ Email: 'ada@example.org', Password: 'not it' }, 'Sign In')(stage)
    },
    toast: ['Login failed', 'Invalid email or password. Please try again.'],
  },
  {
    at: 'forgotten password, without an address',
    go: async (stage) => {
      await press('Forgot password?')(stage)
      // The dialog is prefilled with the login form's address.
      await send({ 'Email address': '' }, 'Send Reset Email', dialog)(stage)
    },
    shows: [[dialog, ['Cancel', 'Send Reset Email']]],
    toast: ['Email required', 'Please enter your email address.'],
  },
  {
    at: 'forgotten password that fails',
    go: refused(
      /\/api\/auth\/forgot-password$/,
      send({ 'Email address': 'ada@example.org' }, 'Send Reset Email', dialog),
    ),
    toast: ['Error', 'Failed to send reset email. Please try again.'],
  },
  {
    at: 'forgotten password',
    go: send({ 'Email address': 'ada@example.org' }, 'Send Reset Email', dialog),
    toast: [
      'Password reset email sent',
      "If an account exists, we've sent password reset instructions to your email.",
    ],
  },
  {
    at: 'signup with two passwords',
    go: async (stage) => {
      await open('/signup')(stage)
      await send({ Password: 'short', 'Confirm password': 'other' }, 'Sign Up')(stage)
    },
    shows: [[main, ['Sign up with Google', 'Must be at least 6 characters long']]],
    toast: ['Password mismatch', 'Passwords do not match. Please try again.'],
  },
  {
    at: 'signup with a short password',
    go: send({ 'Confirm password': 'short' }, 'Sign Up'),
    toast: ['Password too short', 'Password must be at least 6 characters long.'],
  },
  {
    at: 'signup that fails',
    go: refused(
      /\/api\/auth\/signup$/,
      send(
        {
          'First name': 'Ada',
          'Last name': 'Lovelace',
          Email: 'ada@example.org',
          Password: 'correct horse',
          'Confirm password': 'correct horse',
        },
        'Sign Up',
      ),
    ),
    toast: ['Signup failed', 'Failed to create account. Please try again.'],
  },
  {
    at: 'signup',
    go: press('Sign Up'),
    toast: ['Account created successfully!'],
  },
  {
    at: 'verification without a token',
    go: open('/verify-email'),
    shows: [
      [
        main,
        [
          'Verification failed',
          'No verification token found in URL',
          'Create New Account',
          'Back to Login',
          'Back to home',
        ],
      ],
    ],
  },
  {
    at: 'verification that fails',
    go: refused(/\/api\/auth\/verify-email\/check$/, open('/verify-email?token=x')),
    shows: [[main, ['Verification failed', 'Failed to verify email']]],
    toast: ['Verification failed', 'Failed to verify email'],
  },
  {
    at: 'verification',
    go: async (stage) => {
      await stage.page.route('**/api/auth/verify-email/check', (route) =>
        route.fulfill({ json: { isOwnSignup: true } }),
      )
      await stage.page.route('**/api/auth/verify-email', (route) =>
        route.fulfill({ json: { message: 'Email verified!' } }),
      )
      await open('/verify-email?token=x')(stage)
    },
    shows: [[main, ['Email verified', 'Go to Login', 'Back to home']]],
    toast: ['Email verified!'],
  },
  {
    at: 'reset without a token',
    go: open('/reset-password'),
    shows: [
      [
        main,
        [
          'Invalid Reset Link',
          /^This password reset link is invalid or expired\./m,
          'Back to Login',
        ],
      ],
    ],
  },
  {
    at: 'reset with two passwords',
    go: async (stage) => {
      await open('/reset-password?token=x')(stage)
      await newPasswords('short', 'other')(stage)
    },
    toast: ["Passwords don't match", 'Please make sure both password fields match.'],
  },
  {
    at: 'reset with a short password',
    go: newPasswords('short', 'short'),
    toast: ['Password too short', 'Password must be at least 6 characters long.'],
  },
  {
    at: 'reset that fails',
    go: refused(/\/api\/auth\/reset-password$/, newPasswords('correct horse', 'correct horse')),
    toast: ['Reset failed', 'Failed to reset password. Please try again.'],
  },
  {
    at: 'reset',
    go: answered(/\/api\/auth\/reset-password$/, 'Password reset successful!', async (stage) => {
      await press('Reset Password')(stage)
      await stage.page.getByRole('link', { name: 'Go to Login' }).waitFor()
    }),
    shows: [[main, ['Password Reset Successful', 'Go to Login']]],
    toast: ['Password reset successful!'],
  },
  {
    at: 'reset with a token that is over',
    go: async (stage) => {
      stage.noise.expect(/400 \(Bad Request\).*\/api\/auth\/reset-password$/)
      await open('/reset-password?token=x')(stage)
      await newPasswords('correct horse', 'correct horse')(stage)
    },
    shows: [[main, ['Invalid Reset Link']]],
    toast: ['Invalid reset link', 'This password reset link is invalid or expired.'],
  },
  { at: 'Admin Center', go: open('/admin'), shows: [[main, ['Access Denied', 'Sign In']]] },
  {
    at: 'page of a dead link',
    go: async (stage) => {
      stage.noise.expect(/404 \(Not Found\).*\/s\/nosuchcode$/)
      await open('/s/nosuchcode')(stage)
    },
    shows: [[main, ['Invalid download link']]],
  },
  {
    at: 'download page',
    go: async (stage) => {
      const file = await makeFile(await makePerson(stage.app))
      await open(`/download/${file.shortCode}`)(stage)
    },
    shows: [[main, ['Download File', '3 days left']]],
  },
]
