import { enhancePage } from './enhance.ts'

/** How long a button says that it has copied. */
const copiedMs = 2000

/** Adds a button to each block of code that copies it. Browsers copy only on pages that they trust. */
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
