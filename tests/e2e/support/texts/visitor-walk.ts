import { makeFile, makePerson } from '../../../support/make.ts'
import { offerGoogle } from '../sign-in-screens.ts'
import {
  banner,
  dialog,
  main,
  open,
  pressButton,
  submitForm,
  type WalkStep,
  withBadRequest,
  withResponse,
} from './walk.ts'

function enterNewPasswords(password: string, confirmPassword: string) {
  return submitForm(
    { 'New password': password, 'Confirm password': confirmPassword },
    'Reset Password',
  )
}

/**
 * The screens that a visitor sees, with the literal texts that each must show: public pages, forms
 * and link pages.
 */
export const visitorWalk: readonly WalkStep[] = [
  {
    at: 'landing page',
    perform: open('/'),
    expectedTexts: [
      [banner, ['FAQ', 'Feedback', 'Privacy', 'Terms', 'Sign In', 'Sign Up']],
      [main, ['Get Started', '$8', 'Free', 'Premium', 'Priority support']],
      [(page) => page.getByRole('contentinfo'), ['v0.9.10', /preview version/]],
    ],
  },
  {
    at: 'FAQ',
    perform: open('/faq'),
    expectedTexts: [
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
  { at: 'terms', perform: open('/terms'), expectedTexts: [[main, ['July 12, 2025']]] },
  { at: 'privacy policy', perform: open('/privacy'), expectedTexts: [[main, ['July 12, 2025']]] },
  {
    at: 'feedback',
    perform: open('/feedback'),
    expectedTexts: [
      [main, ['Name*', 'Email*', 'Category', 'Message*', 'Preview Version']],
      [
        (page) => page.getByLabel('Category'),
        ['Bug Report', 'Feature Request', 'Improvement Suggestion', 'General Feedback', 'Other'],
      ],
    ],
  },
  {
    at: 'login',
    perform: async (context) => {
      await offerGoogle(context.page)
      await open('/login')(context)
    },
    expectedTexts: [[main, ['Forgot password?', 'Sign in with Google']]],
  },
  {
    at: 'login that is refused',
    perform: async (context) => {
      context.errors.expect(/401 \(Unauthorized\).*\/api\/auth\/login$/)
      await submitForm({ Email: 'ada@example.org', Password: 'not it' }, 'Sign In')(context)
    },
    toast: ['Login failed', 'Invalid email or password. Please try again.'],
  },
  {
    at: 'forgotten password, without an address',
    perform: async (context) => {
      await pressButton('Forgot password?')(context)
      // The dialog is prefilled with the email address from the login form.
      await submitForm({ 'Email address': '' }, 'Send Reset Email', dialog)(context)
    },
    expectedTexts: [[dialog, ['Cancel', 'Send Reset Email']]],
    toast: ['Email required', 'Please enter your email address.'],
  },
  {
    at: 'forgotten password that fails',
    perform: withBadRequest(
      /\/api\/auth\/forgot-password$/,
      submitForm({ 'Email address': 'ada@example.org' }, 'Send Reset Email', dialog),
    ),
    toast: ['Error', 'Failed to send reset email. Please try again.'],
  },
  {
    at: 'forgotten password',
    perform: submitForm({ 'Email address': 'ada@example.org' }, 'Send Reset Email', dialog),
    toast: [
      'Password reset email sent',
      "If an account exists, we've sent password reset instructions to your email.",
    ],
  },
  {
    at: 'signup with two passwords',
    perform: async (context) => {
      await open('/signup')(context)
      await submitForm({ Password: 'short', 'Confirm password': 'other' }, 'Sign Up')(context)
    },
    expectedTexts: [[main, ['Sign up with Google', 'Must be at least 6 characters long']]],
    toast: ['Password mismatch', 'Passwords do not match. Please try again.'],
  },
  {
    at: 'signup with a short password',
    perform: submitForm({ 'Confirm password': 'short' }, 'Sign Up'),
    toast: ['Password too short', 'Password must be at least 6 characters long.'],
  },
  {
    at: 'signup that fails',
    perform: withBadRequest(
      /\/api\/auth\/signup$/,
      submitForm(
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
    perform: pressButton('Sign Up'),
    toast: ['Account created successfully!'],
  },
  {
    at: 'verification without a token',
    perform: open('/verify-email'),
    expectedTexts: [
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
    perform: withBadRequest(/\/api\/auth\/verify-email\/check$/, open('/verify-email?token=x')),
    expectedTexts: [[main, ['Verification failed', 'Failed to verify email']]],
    toast: ['Verification failed', 'Failed to verify email'],
  },
  {
    at: 'verification',
    perform: async (context) => {
      await context.page.route('**/api/auth/verify-email/check', (route) =>
        route.fulfill({ json: { isOwnSignup: true } }),
      )
      await context.page.route('**/api/auth/verify-email', (route) =>
        route.fulfill({ json: { message: 'Email verified!' } }),
      )
      await open('/verify-email?token=x')(context)
    },
    expectedTexts: [[main, ['Email verified', 'Go to Login', 'Back to home']]],
    toast: ['Email verified!'],
  },
  {
    at: 'reset without a token',
    perform: open('/reset-password'),
    expectedTexts: [
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
    perform: async (context) => {
      await open('/reset-password?token=x')(context)
      await enterNewPasswords('short', 'other')(context)
    },
    toast: ["Passwords don't match", 'Please make sure both password fields match.'],
  },
  {
    at: 'reset with a short password',
    perform: enterNewPasswords('short', 'short'),
    toast: ['Password too short', 'Password must be at least 6 characters long.'],
  },
  {
    at: 'reset that fails',
    perform: withBadRequest(
      /\/api\/auth\/reset-password$/,
      enterNewPasswords('correct horse', 'correct horse'),
    ),
    toast: ['Reset failed', 'Failed to reset password. Please try again.'],
  },
  {
    at: 'reset',
    perform: withResponse(
      /\/api\/auth\/reset-password$/,
      'Password reset successful!',
      async (context) => {
        await pressButton('Reset Password')(context)
        await context.page.getByRole('link', { name: 'Go to Login' }).waitFor()
      },
    ),
    expectedTexts: [[main, ['Password Reset Successful', 'Go to Login']]],
    toast: ['Password reset successful!'],
  },
  {
    at: 'reset with a token that is over',
    perform: async (context) => {
      context.errors.expect(/400 \(Bad Request\).*\/api\/auth\/reset-password$/)
      await open('/reset-password?token=x')(context)
      await enterNewPasswords('correct horse', 'correct horse')(context)
    },
    expectedTexts: [[main, ['Invalid Reset Link']]],
    toast: ['Invalid reset link', 'This password reset link is invalid or expired.'],
  },
  {
    at: 'Admin Center',
    perform: open('/admin'),
    expectedTexts: [[main, ['Access Denied', 'Sign In']]],
  },
  {
    at: 'page of a dead link',
    perform: async (context) => {
      context.errors.expect(/404 \(Not Found\).*\/s\/nosuchcode$/)
      await open('/s/nosuchcode')(context)
    },
    expectedTexts: [[main, ['Invalid download link']]],
  },
  {
    at: 'download page',
    perform: async (context) => {
      const file = await makeFile(await makePerson(context.app))
      await open(`/download/${file.shortCode}`)(context)
    },
    expectedTexts: [[main, ['Download File', '3 days left']]],
  },
]
