import type { ReactNode } from 'react'

/** Centers content and limits its width to 1120 px plus the page's side margins. */
export function Wrap({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`mx-auto w-full max-w-[1168px] px-4 sm:px-6 ${className}`}>{children}</div>
}
