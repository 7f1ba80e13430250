# SPDX-License-Identifier: BSD-3-Clause
# Scaling studies of helmbone and plots of what it writes: standard library, h5py and matplotlib.
