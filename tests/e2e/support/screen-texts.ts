import type { Locator, Page } from '@playwright/test'
import { section } from './admin.ts'
import { uploadsPanel } from './uploads.ts'

type ScreenTexts = readonly [where: (page: Page) => Locator, texts: (string | RegExp)[]][]

function banner(page: Page) {
  return page.getByRole('banner')
}

function main(page: Page) {
  return page.getByRole('main')
}

/** The literal texts of the specification that screens must show, and where. */
export const screenTexts: Readonly<Record<string, ScreenTexts>> = {
  'landing page': [
    [banner, ['FAQ', 'Feedback', 'Privacy', 'Terms', 'Sign In', 'Sign Up']],
    [main, ['Get Started', '$8', 'Free', 'Premium', 'Priority support']],
    [(page) => page.getByRole('contentinfo'), ['v0.9.10', /preview version/]],
  ],
  'frequently asked questions': [
    [main, ['Getting Started', 'Security & Privacy', 'File Management', 'Premium Features']],
    [main, ['Technical Questions', 'Account & Billing', 'Back to home', 'Still have questions?']],
  ],
  'feedback with faults': [
    [main, ['Name*', 'Email*', 'Category', 'Message*', 'Preview Version']],
    [
      (page) => page.getByLabel('Category'),
      ['Bug Report', 'Feature Request', 'Improvement Suggestion', 'General Feedback', 'Other'],
    ],
  ],
  'Admin Center, closed to visitors': [[main, ['Access Denied', 'Sign In']]],
  'forgot password': [[(page) => page.getByRole('dialog'), ['Cancel', 'Send Reset Email']]],
  'an invalid reset link': [
    [main, ['Invalid Reset Link', /^This password reset link is invalid or expired\./m]],
  ],
  login: [[main, ['Forgot password?', 'Sign in with Google']]],
  'a verification that failed': [
    [main, ['Verification failed', 'No verification token found in URL']],
    [main, ['Create New Account', 'Back to Login', 'Back to home']],
  ],
  'a verified address': [[main, ['Email verified', 'Go to Login', 'Back to home']]],
  'Admin Center, closed to other users': [[main, ['Admin Access Required', 'Go to Dashboard']]],
  'dashboard without files': [
    [banner, ['Log out', /\S+@example\.org$/m]],
    [main, ['Welcome back, Ada', 'My Files', 'File Manager', 'Analytics']],
    [main, ['Recent Files', '3 days (default)']],
  ],
  'file too large': [
    [main, [/\bzip\b/, /\b7z\b/, /\bparts\b/, /cloud storage for files over 1GB/]],
    [main, ['Try Another File']],
  ],
  'my files in every state, and a receipt': [
    [banner, ['Premium']],
    [main, ['7 days left', /\b\d+ hours left/, 'Less than 1 hour left', 'Renew']],
    [main, [/Private \(\d+ days to renew\)/, 'Permanently expired']],
  ],
  'the file manager with its settings, a selection and statistics': [
    [main, ['Sort by', 'Settings', 'Copy 4 links']],
  ],
  analytics: [[main, ['Images', 'Videos', 'PDFs', 'Archives', 'Expiring soon', 'within 24 hours']]],
  'upgrade to Premium': [
    [main, ['Unlimited files and 1GB uploads', 'Custom expiration times', 'Advanced analytics']],
    [main, ['Custom branding', '$8', 'per month', 'Upgrade Now', 'Continue with Free']],
  ],
  'download page': [[main, ['Download File', '3 days left']]],
  'uploads panel in every state': [
    [uploadsPanel, [/\bUpload paused\b/, 'Resume', 'Clear', 'Paused', 'Failed']],
    [uploadsPanel, ['Resume failed - file data lost. Please restart upload.']],
  ],
  'Admin Center with the longest of everything': [
    [main, ['Admin Center', 'Back to Dashboard']],
    [(page) => section(page, 'Settings'), ['Premium price', 'App version', 'Email signature']],
  ],
}
