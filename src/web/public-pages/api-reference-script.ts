import { enhancePage } from './enhance.ts'

/** How long a button says "Copied", in milliseconds. */
const copiedMs = 2000

/**
 * Adds a copy button to each block of code. Browsers offer the clipboard only to secure pages, so
 * other pages get no buttons.
 */
function offerCopying() {
  if (!navigator.clipboard) return
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button small copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const text = block.querySelector('code')?.textContent ?? ''
      const isCopied = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
      button.textContent = isCopied ? 'Copied' : 'Copy failed'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, copiedMs)
    })
    block.append(button)
  }
}

enhancePage()
offerCopying()
