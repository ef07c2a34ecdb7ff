import type { ReactNode } from 'react'
import {
  type PublicPlaceholder,
  placeholder,
  publicPlaceholders,
} from '../../shared/placeholders.ts'
import { When } from '../built-pages/template.tsx'

/** The placeholders by name. The server replaces `values.price`, for example, with '$8'. */
export const values = Object.fromEntries(
  publicPlaceholders.map((name) => [name, placeholder(name)]),
) as Record<PublicPlaceholder, string>

/** Shows its children if anyone can sign up, or anyone with an allowed email domain. */
export function WhenSignupIsOpen({ children }: { children: ReactNode }) {
  return (
    <>
      <When is="signupOpen">{children}</When>
      <When is="signupDomains">{children}</When>
    </>
  )
}
