"""Repeats the measurement while OpenSSL may not use some of the processor's instructions."""

import ast
import os
import subprocess
import sys

# OPENSSL_ia32cap(3): bits of CPUID 1 (EDX, ECX), then of CPUID 7 (EBX, ECX).
MASKS = {
    # AES 57, PCLMULQDQ 33; VAES and VPCLMULQDQ 9 and 10 of ECX. AVX and SSSE3 stay.
    "no-aes": "~0x200000200000000:~0x60000000000",
    "no-avx512": ":~0xd0230000",
    "no-sha": ":~0x20000000",
}


def elsewhere(mask, script, *arguments):
    environment = dict(os.environ, OPENSSL_ia32cap=MASKS[mask])
    done = subprocess.run(
        [sys.executable, script, *arguments], env=environment, check=True, stdout=subprocess.PIPE)
    return ast.literal_eval(done.stdout.decode())
