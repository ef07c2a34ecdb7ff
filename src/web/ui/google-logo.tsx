/** Google's colored G logo. Hidden from screen readers. */
export function GoogleLogo() {
  return (
    <svg viewBox="0 0 24 24" fill="none" strokeWidth="4.2" aria-hidden="true">
      <path stroke="#ea4335" d="M17.8 6.2A8.2 8.2 0 0 0 4.57 8.53" />
      <path stroke="#fbbc05" d="M4.57 8.53a8.2 8.2 0 0 0 0 6.94" />
      <path stroke="#34a853" d="M4.57 15.47A8.2 8.2 0 0 0 17.27 18.28" />
      <path stroke="#4285f4" d="M17.27 18.28A8.2 8.2 0 0 0 20.2 12H12" />
    </svg>
  )
}
