import { ArrowLeft } from 'lucide-react'

/** The link to the start page. It stands above the heading of a page (spec §2). */
export function BackHome() {
  return (
    <a className="back" href="/">
      <ArrowLeft size={16} strokeWidth={1.8} aria-hidden="true" />
      Back to home
    </a>
  )
}
