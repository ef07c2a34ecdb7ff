/** A link in a toast. It opens in a new tab, because uploads may be active in this one. */
export interface ToastLink {
  text: string
  href: string
}

export interface ToastOptions {
  title: string
  description?: string
  /** The link must also be available on the page, because the toast disappears. */
  link?: ToastLink
  /** `destructive` marks an error, which screen readers announce immediately. */
  tone?: 'plain' | 'destructive'
  /** True for background events, whose toasts wait until a displayed error closes. */
  isNews?: boolean
  durationMs?: number
}
