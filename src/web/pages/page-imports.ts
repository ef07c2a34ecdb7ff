/**
 * Functions that load the code of each screen and of the uploads panel, in the form that React's
 * `lazy` needs. A second call does not load the code again.
 */
export const pageImports = {
  dashboard: () => import('./dashboard.tsx').then((it) => ({ default: it.Dashboard })),
  uploads: () =>
    import('../uploads/panel/uploads-dock.tsx').then((it) => ({ default: it.UploadsDock })),
  login: () => import('./login-page.tsx').then((it) => ({ default: it.LoginPage })),
  signup: () => import('./signup-page.tsx').then((it) => ({ default: it.SignupPage })),
  account: () => import('./account-page.tsx').then((it) => ({ default: it.AccountPage })),
  admin: () => import('./admin-page.tsx').then((it) => ({ default: it.AdminPage })),
  verifyEmail: () =>
    import('./verify-email-page.tsx').then((it) => ({ default: it.VerifyEmailPage })),
  resetPassword: () =>
    import('./reset-password-page.tsx').then((it) => ({ default: it.ResetPasswordPage })),
}
