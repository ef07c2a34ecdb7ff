import type { ReactNode } from 'react'

export interface FaqQuestion {
  /**
   * The fragment of the address that opens the answer. Example: /faq#encryption has the id
   * 'encryption'.
   */
  id: string
  question: string
  answer: ReactNode
}

export interface FaqCategory {
  title: string
  questions: readonly FaqQuestion[]
}
